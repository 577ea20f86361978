export type { Clock, SleepOptions } from "./clock/clock.ts"
export { type Duration, type DurationPart, durationParts, formatDuration, milliseconds, parseDuration } from "./clock/duration.ts"
export { startTimeout, type Timeout, type TimeoutOptions, withTimeout } from "./clock/timeout.ts"
export { TokenBucket, type TokenBucketOptions } from "./clock/token-bucket.ts"
export { VirtualClock, type VirtualClockOptions } from "./clock/virtual-clock.ts"
export { closest } from "./closest.ts"
export { abortable, aborted, abortWith, onAbort, throwIfAborted } from "./concurrency/abort.ts"
export { Semaphore } from "./concurrency/semaphore.ts"
export { type ErrorCode, errorCodes } from "./errors/error-codes.ts"
export { type ErrorDetails, isRetryable, messageOf, PilothouseError } from "./errors/errors.ts"
export { withoutSecrets } from "./errors/without-secrets.ts"
export { largestOf, smallestOf } from "./extremes.ts"
export { type FileFacts, type Files, readText, type WriteOptions } from "./files/files.ts"
export { virtualFiles } from "./files/virtual-files.ts"
export { exactNumber, fitsInt64, type ParseJsonOptions, parseJson, setOwn, stringifyJson } from "./json/exact-json.ts"
export { lazy } from "./lazy.ts"
export type { Random } from "./random/random.ts"
export { type SeededRandom, seededRandom } from "./random/seeded-random.ts"
export { type Log, type LogFields, type LogLevel, type LogLine, logTo, recordingLog, silentLog } from "./telemetry/log.ts"
export { type MemoryMetrics, memoryMetrics } from "./telemetry/memory-metrics.ts"
export { type Counter, type Gauge, type Histogram, type Labels, type MetricOptions, type Metrics, noMetrics } from "./telemetry/metrics.ts"
export { withoutTrailing } from "./trailing.ts"
export type { Dial, DialedServer } from "./transport/dial.ts"
export { jsonRoundTrip } from "./transport/json-transport.ts"
export { type Fault, type Script, scriptedTransport } from "./transport/scripted-transport.ts"
export {
  type Body,
  type BodyReader,
  type ByteConnection,
  type BytesBody,
  type ClientConnection,
  type Frame,
  type HeaderMap,
  noBody,
  type Query,
  queryValue,
  type Stream,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type Upgrade,
  type ValueBody,
  type Verb,
  valueBody,
} from "./transport/transport.ts"
