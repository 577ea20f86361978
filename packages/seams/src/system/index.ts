export { systemClock } from "./system-clock.ts"
export { systemFiles } from "./system-files.ts"
export { systemRandom } from "./system-random.ts"
export { textLog } from "./text-log.ts"
