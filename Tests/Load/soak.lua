-- Requests of every kind in turn, one file of them: a line each of method, path, API key and body, with tabs between.
-- PAUSE is how many milliseconds a connection waits before each; the fraction is kept on average.
local requests, pause = {}, tonumber(os.getenv("PAUSE") or "0")

for line in io.lines(os.getenv("REQUESTS")) do
  local method, path, key, body = line:match("^(.-)\t(.-)\t(.-)\t(.*)$")
  local headers = { ["Authorization"] = "Bearer " .. key, ["Content-Type"] = "application/json" }
  requests[#requests + 1] = { method, path, headers, body ~= "" and body or nil }
end

local made, next_one = {}, 0

function init()
  for number, one in ipairs(requests) do made[number] = wrk.format(one[1], one[2], one[3], one[4]) end
end

function request()
  next_one = next_one % #made + 1
  return made[next_one]
end

if pause > 0 then
  function delay()
    local whole = math.floor(pause)
    return whole + (math.random() < pause - whole and 1 or 0)
  end
end

function done(summary, latency)
  local refused = summary.errors.status
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format(
    "RESULT{\"requests\":%d,\"microseconds\":%d,\"refused\":%d,\"failed\":%d,\"p50\":%d,\"p99\":%d,\"max\":%d}\n",
    summary.requests, summary.duration, refused, failed, latency:percentile(50), latency:percentile(99), latency.max))
end
