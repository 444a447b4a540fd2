-- Asks for the lines of a file in turn, each METHOD<tab>path<tab>body, and tells in one line of JSON how it went.
local requests = {}
local n = 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path, body = line:match('^(%u+)\t(%S+)\t(.*)$')
    requests[#requests + 1] = wrk.format(method, path, nil, body ~= '' and body or nil)
  end
end

function request()
  n = n % #requests + 1
  return requests[n]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
