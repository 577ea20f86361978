export { abortable, aborted, abortWith, onAbort, throwIfAborted } from "./abort.ts"
export type { Clock, SleepOptions } from "./clock.ts"
export { closest } from "./closest.ts"
export { type Duration, type DurationPart, durationParts, formatDuration, milliseconds } from "./duration.ts"
export { type ErrorCode, errorCodes } from "./error-codes.ts"
export { type ErrorDetails, isRetryable, messageOf, PilothouseError } from "./errors.ts"
export { exactNumber, fitsInt64, type ParseJsonOptions, parseJson, stringifyJson } from "./exact-json.ts"
export { largestOf, smallestOf } from "./extremes.ts"
export { type FileFacts, type Files, readText, type WriteOptions } from "./files.ts"
export { jsonRoundTrip } from "./json-transport.ts"
export { type Log, type LogFields, type LogLevel, type LogLine, logTo, recordingLog, silentLog } from "./log.ts"
export { type MemoryMetrics, memoryMetrics } from "./memory-metrics.ts"
export { type Counter, type Gauge, type Histogram, type Labels, type MetricOptions, type Metrics, noMetrics } from "./metrics.ts"
export type { Random } from "./random.ts"
export { type Fault, type Script, scriptedTransport } from "./scripted-transport.ts"
export { type SeededRandom, seededRandom } from "./seeded-random.ts"
export { Semaphore } from "./semaphore.ts"
export { startTimeout, type Timeout, type TimeoutOptions, withTimeout } from "./timeout.ts"
export { withoutTrailing } from "./trailing.ts"
export {
  type Body,
  type BodyReader,
  type BytesBody,
  type Frame,
  type HeaderMap,
  noBody,
  type Query,
  queryValue,
  type Stream,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type ValueBody,
  type Verb,
  valueBody,
} from "./transport.ts"
export { VirtualClock, type VirtualClockOptions } from "./virtual-clock.ts"
export { virtualFiles } from "./virtual-files.ts"
export { withoutSecrets } from "./without-secrets.ts"
