// go_patterns.go - the patterns of patterns.c for Go's runtime, with and without its profiler:
// go_patterns PATTERN COUNT THREADS RATE
//
// RATE is runtime.MemProfileRate, 0 for none. Go frees by collecting, so "freed" is "no longer
// reachable" here; what is compared is the same pattern with and without the profiler.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
)

var sink [64][]byte

func pairs(count, who int) {
	for i := 0; i < count; i++ {
		sink[who&63] = make([]byte, 64)
	}
}

func mixed(count, who int) {
	state := uint64(42 + who)
	alive := make([][]byte, 4096)
	for i := 0; i < count; i++ {
		state = state*6364136223846793005 + 1442695040888963407
		r := uint32(state >> 33)
		size := uint32(16) << (r % 9)
		size += (r >> 8) % size
		alive[i&4095] = make([]byte, size)
		alive[i&4095][0] = 1
	}
}

//go:noinline
func below(depth, who int) {
	if depth > 0 {
		below(depth-1, who)
		return
	}
	sink[who&63] = make([]byte, 16384)
}

func crossed(count, _ int) {
	const batch = 1000
	hand := make(chan [][]byte, 4)
	done := make(chan bool)
	go func() {
		for all := range hand {
			for _, p := range all {
				sink[63] = p
			}
		}
		done <- true
	}()
	var all [][]byte
	for i := 0; i < count; i++ {
		if all == nil {
			all = make([][]byte, 0, batch)
		}
		all = append(all, make([]byte, 16+i%512))
		if len(all) == batch {
			hand <- all
			all = nil
		}
	}
	close(hand)
	<-done
}

func grow(count, who int) {
	for i := 0; i < count; i++ {
		var p []byte
		for size := 64; size < 1<<20; size += size / 10 {
			n := make([]byte, size)
			copy(n, p)
			p = n
		}
		sink[who&63] = p
	}
}

func mapStrings(count, _ int) {
	m := map[string]string{}
	state := uint64(42)
	for i := 0; i < count; i++ {
		state = state*6364136223846793005 + 1442695040888963407
		key := "customer/" + strconv.Itoa(int(state>>40&4095)) + "/session/current"
		value := string(make([]byte, 32+(state>>33)%200))
		if _, there := m[key]; there {
			delete(m, key)
		} else {
			m[key] = value
		}
	}
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: go_patterns PATTERN COUNT THREADS RATE")
		os.Exit(2)
	}
	count, _ := strconv.Atoi(os.Args[2])
	threads, _ := strconv.Atoi(os.Args[3])
	runtime.MemProfileRate, _ = strconv.Atoi(os.Args[4])
	run := map[string]func(int, int){
		"pairs": pairs, "mixed": mixed, "crossed": crossed, "realloc": grow, "map": mapStrings,
		"deep": func(count, who int) {
			for i := 0; i < count; i++ {
				below(16, who)
			}
		},
		"deep100": func(count, who int) {
			for i := 0; i < count; i++ {
				below(96, who)
			}
		},
	}[os.Args[1]]
	if run == nil {
		fmt.Fprintln(os.Stderr, "no pattern "+os.Args[1])
		os.Exit(2)
	}
	var all sync.WaitGroup
	for i := 0; i < threads; i++ {
		all.Add(1)
		go func(who int) { run(count, who); all.Done() }(i)
	}
	all.Wait()
	// A program that never asks for the profile is linked with the profiler off.
	if runtime.MemProfileRate > 0 {
		file, err := os.Create(os.DevNull)
		if err == nil {
			pprof.Lookup("heap").WriteTo(file, 0)
		}
	}
}
