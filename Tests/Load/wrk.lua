-- The request that METHOD, BODY and AUTHORIZATION describe; with KEYS, a file of API keys, each key in turn.
-- They come as variables, since arguments are seen by everyone.
wrk.method = os.getenv("METHOD")
wrk.body = os.getenv("BODY")
wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
if wrk.body then wrk.headers["Content-Type"] = "application/json" end

if os.getenv("KEYS") then
  local requests, at = {}, 0

  function init(arguments)
    for key in io.lines(os.getenv("KEYS")) do
      wrk.headers["Authorization"] = "Bearer " .. key
      requests[#requests + 1] = wrk.format()
    end
  end

  function request()
    at = at % #requests + 1
    return requests[at]
  end
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format('RESULT {"requests":%d,"microseconds":%d,"refused":%d,"failed":%d,"p50":%d,"p99":%d}',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
