#!/bin/bash
# time: 1800
# needs: perl
# Programs that nobody here wrote, in other languages and with threads of their own: interpreters, converters, compressors, ripgrep
# (Rust), go (cgo), openssl. Each at APPROF_RATE=1 and at the default rate does what it does without the preload. What is not
# installed is left out, by name; `make soak` installs them all.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/real/real-lib.sh"

done_count=0
absent=""
# twice NAME TOOL COMMAND…   at both rates
twice() {
    if ! command -v "$2" >/dev/null; then
        absent="$absent $2"
        return
    fi
    RATE=1 both "$1" "${@:3}"
    RATE=524288 both "$1-default" "${@:3}"
    done_count=$((done_count + 1))
}
# A program that small may have no sample at the default rate, which a reader says; at 1 it has.
profiles_readable() {
    if [ "$RATE" -eq 1 ]; then
        readable "profiles/$1"/*.pb.gz
        [ "$(total alloc_space "profiles/$1"/*.pb.gz)" -gt 0 ] || bad "$1: the profiles are empty"
    fi
}
sum() { # COMMAND…    what it writes, as one sum, and its exit status
    "$@" | sha256sum
    echo "exit status ${PIPESTATUS[0]}"
}
export -f sum

"$PYTHON" -c 'for i in range(60000): print("line %d of many %x: %s" % (i, i * 7919 % 65521, "word " * (i % 9)))' >text

# --- interpreters: closures, threads, fibers, regular expressions, garbage, children ---
cat >p.pl <<'PL'
use threads; use strict; use List::Util qw(sum shuffle); use Storable qw(freeze thaw); use POSIX ();
sub work { my $n = shift; my %h; $h{$_ % 997} .= "x" x ($_ % 50) for 1 .. $n; return sum(map { length } values %h) }
print join(",", map { $_->join } map { my $n = $_; threads->create(\&work, 5000 + $n) } 1 .. 4), "\n";
open my $f, "<", "text"; my ($words, %seen) = (0); while (<$f>) { $words++ while /\bword\b/g; $seen{$1}++ if /many ([0-9a-f]+)/ } print "$words ", scalar(keys %seen), "\n";
my $copy = thaw(freeze([map { { n => $_, list => [1 .. $_ % 20] } } 1 .. 2000])); print scalar(@$copy), "\n";
my $pid = fork; if (!$pid) { work(1000); POSIX::_exit(3) } waitpid $pid, 0; print $? >> 8, "\n";
eval { die { code => 5 } }; print $@->{code}, "\n"; warn "to stderr\n"; exit 4;
PL
/usr/bin/perl -Mthreads -e1 2>/dev/null && twice perl perl /usr/bin/perl p.pl
twice perl-deparse perl bash -c 'sum /usr/bin/perl -MO=Deparse "$(/usr/bin/perl -MPod::Simple -e "print \$INC{q(Pod/Simple.pm)}")" 2>&1'
cat >r.rb <<'RB'
fibers = (1..50).map { |i| Fiber.new { 20.times { |k| Fiber.yield("f#{i}" * k) }; i } }
puts fibers.sum { |f| 21.times.sum { f.resume.to_s.size } }
puts (1..4).map { |i| Thread.new { (1..3000).map { |k| "row #{k * i}" }.join.size } }.map(&:value).inspect
rows = File.readlines("text").grep(/many [0-9a-f]*a/).map { |l| l.split }; puts rows.size, rows.flatten.uniq.size
GC.start; GC.compact if GC.respond_to?(:compact)
puts ObjectSpace.each_object(Class).count > 100, Marshal.load(Marshal.dump(rows)).size
pid = fork { exit! 6 }; Process.wait(pid); puts $?.exitstatus; begin; raise "on purpose"; rescue => e; puts e.message; end; exit 4
RB
twice ruby ruby ruby --disable-gems r.rb
cat >p.php <<'PHP'
<?php function gen($n) { for ($i = 0; $i < $n; $i++) yield $i => str_repeat("v$i", $i % 30); }
$a = []; foreach (gen(20000) as $k => $v) $a["k" . $k * 7919 % 10007][] = $v; ksort($a); echo count($a), " ", md5(serialize($a)), "\n";
echo preg_match_all('/many ([0-9a-f]+)/', file_get_contents('text')), " ", strlen(json_encode($a)), "\n";
class Node { public $other; } for ($i = 0; $i < 20000; $i++) { $x = new Node; $y = new Node; $x->other = $y; $y->other = $x; } echo gc_collect_cycles() >= 0 ? "collected\n" : "";
$f = new Fiber(function () { for ($i = 0; $i < 100; $i++) Fiber::suspend(str_repeat('a', $i)); }); $n = strlen($f->start()); while (!$f->isTerminated()) $n += strlen((string)$f->resume()); echo $n, "\n";
try { throw new Exception("on purpose"); } catch (Exception $e) { echo $e->getMessage(), "\n"; } exit(4);
PHP
twice php php php -n p.php
USE_ZEND_ALLOC=0 twice php-malloc php php -n p.php # each of its objects by malloc
cat >t.tcl <<'TCL'
set f [open text]; set words 0; while {[gets $f line] >= 0} { incr words [regexp -all {word} $line]; dict incr seen [lindex $line 4] }; puts "$words [dict size $seen]"
set box [interp create]; $box eval {proc fib n { expr {$n < 2 ? $n : [fib [expr {$n - 1}]] + [fib [expr {$n - 2}]]} }}; puts [$box eval {fib 17}]; interp delete $box
proc counter {} { yield; for {set i 0} {$i < 500} {incr i} { yield [string repeat x $i] } }; coroutine next counter; set n 0; for {set i 0} {$i < 500} {incr i} { incr n [string length [next]] }; puts $n
puts [string length [zlib compress [string repeat "some text " 20000]]]; puts [exec echo a child]; catch {error "on purpose"} message; puts $message; exit 4
TCL
twice tcl tclsh tclsh t.tcl
cat >l.lua <<'LUA'
local seen, words = {}, 0 for line in io.lines("text") do for _ in line:gmatch("word") do words = words + 1 end seen[line:match("many (%x+)")] = true end
local n = 0 for _ in pairs(seen) do n = n + 1 end print(words, n)
local co = coroutine.wrap(function() for i = 1, 1000 do coroutine.yield(("x"):rep(i)) end end) local sum = 0 for i = 1, 1000 do sum = sum + #co() end print(sum)
collectgarbage("generational") local t = {} for i = 1, 50000 do t[i % 100] = { i, tostring(i) } end collectgarbage() print(#t, pcall(error, "on purpose")) os.exit(4)
LUA
twice lua lua5.4 lua5.4 l.lua

# --- converters and compressors, with threads ---
twice ffmpeg ffmpeg bash -c 'sum ffmpeg -v error -nostdin -f lavfi -i testsrc=duration=2:size=320x240:rate=25 -f lavfi -i sine=duration=2 -c:v mpeg4 -c:a aac -flags bitexact -fflags +bitexact -threads 2 -f framemd5 -'
imagemagick=$(ls /usr/bin/convert /usr/bin/magick 2>/dev/null | head -1)
twice imagemagick "${imagemagick:-convert}" bash -c "sum $imagemagick -size 600x400 gradient:red-blue -swirl 120 -blur 0x3 -resize 150% -sepia-tone 80% -colors 64 ppm:-"
twice xz xz bash -c 'sum xz -T2 --block-size=256KiB -6 -c text; xz -c text | sum xz -dc'
twice zstd zstd bash -c 'sum zstd -T2 -12 -c text; zstd -c text | sum zstd -dc'
twice openssl openssl bash -c 'for d in md5 sha1 sha256 sha512 sha3-256 blake2b512; do openssl dgst -$d text; done; sum openssl enc -aes-256-ctr -pbkdf2 -S 0011223344556677 -k secret -in text; openssl prime -checks 20 170141183460469231731687303715884105727; openssl genrsa 1024 2>/dev/null | openssl rsa -noout -check; openssl speed -seconds 1 -bytes 64 -evp sha256 >/dev/null 2>&1; echo $?; openssl nothing 2>/dev/null; echo $?'

# --- ripgrep, in Rust, with threads; go, with cgo, building a program ---
twice ripgrep rg bash -c "rg --no-config --sort path -c 'static' '$TOP/cli' '$TOP/interpose' | sed 's|$TOP||'; rg --no-config -j 4 -c . '$TOP/cli' | sort | sum cat; rg --no-config -U 'many [0-9a-f]+:\s(word ){5}' text | sum cat; rg --no-config 'no such text at all' text; echo \$?"
mkdir gosrc && printf 'package main\nimport ("fmt"; "net")\nfunc main() { a, e := net.LookupHost("127.0.0.1"); fmt.Println(a, e) }\n' >gosrc/main.go && printf 'module m\ngo 1.19\n' >gosrc/go.mod
export GOTOOLCHAIN=local GOFLAGS=-mod=mod GOPROXY=off GOCACHE=$PWD/gocache HOME=$PWD
profiles_readable() { :; } # go ends by a system call of its own: tables are all that is left
twice go go bash -c 'cd gosrc && rm -f m && go build -trimpath -o m . && sum cat m && ./m && go vet . && go list -deps . | sum cat'

echo "$done_count programs did the same at both rates${absent:+; not installed:$absent}"
[ "$done_count" -gt 0 ] || skip "none of them is installed"
exit 0
