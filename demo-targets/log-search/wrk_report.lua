-- wrk's figures as one line: requests, errors, seconds, requests/s, mean, p50 and p99 in ms, bytes.
function done(summary, latency, requests)
    local seconds = summary.duration / 1e6
    local errors = summary.errors
    io.write(string.format("figures,%d,%d,%.3f,%.1f,%.2f,%.2f,%.2f,%d\n", summary.requests,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout, seconds,
        summary.requests / seconds, latency.mean / 1e3, latency:percentile(50) / 1e3,
        latency:percentile(99) / 1e3, summary.bytes))
end
