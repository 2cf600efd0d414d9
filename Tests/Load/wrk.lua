-- The request that METHOD, BODY and AUTHORIZATION describe, or those of the file REQUESTS, a NUL between two: in turn,
-- or each sent once where ONCE is set. STATUS and TEXT say what every answer has to be and to hold; without them wrk's
-- own count of what is no 2xx has to do, which costs it less. They come as variables, since arguments are seen by
-- everyone.
wrk.method = os.getenv("METHOD")
wrk.body = os.getenv("BODY")
wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
if wrk.body then wrk.headers["Content-Type"] = "application/json" end

local requests, is_once = {}, os.getenv("ONCE") ~= nil
local status, text = tonumber(os.getenv("STATUS")), os.getenv("TEXT")
local threads = {}
-- Seen by the script's other half, which sums up.
sent, wrong = 0, 0

function setup(thread)
  threads[#threads + 1] = thread
end

-- By parts, since a hundred megabytes at once and in pieces are more than Lua may have.
local function read(name)
  local file, rest = assert(io.open(name, "rb")), ""
  for part in function() return file:read(1048576) end do
    local text, from = rest .. part, 1
    for one, after in text:gmatch("([^%z]+)%z()") do
      requests[#requests + 1], from = one, after
    end
    rest = text:sub(from)
  end
  file:close()
end

function init()
  if os.getenv("REQUESTS") then
    read(os.getenv("REQUESTS"))
  else
    requests[1] = wrk.format()
  end
  -- What reading left behind is not to be cleared away in the middle of the load.
  collectgarbage("collect")
  io.stderr:write("READY\n")
  io.stderr:flush()
end

function request()
  sent = sent + 1
  if is_once then return requests[sent] or "GET /used-up HTTP/1.1\r\nHost: localhost\r\n\r\n" end
  return requests[(sent - 1) % #requests + 1]
end

if status then
  function response(code, _, body)
    if code ~= status or (text and not body:find(text, 1, true)) then wrong = wrong + 1 end
  end
end

function done(summary, latency)
  local errors, all_sent, all_wrong = summary.errors, 0, 0
  for _, thread in ipairs(threads) do
    all_sent, all_wrong = all_sent + thread:get("sent"), all_wrong + thread:get("wrong")
  end
  print(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"refused":%d,"failed":%d,"wrong":%d,"sent":%d,"p50":%d,"p99":%d}',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, all_wrong, all_sent,
    latency:percentile(50), latency:percentile(99)))
end
