import { setFlagsFromString } from "node:v8"
import type { Clock } from "@pilothouse/seams"
import { collectGarbage } from "./collect-garbage.ts"
import { youngGenerationSize } from "./young-generation-limit.ts"

/** V8 enlarges the space for new objects while a large state is read, and gives it back only when it is asked to collect everything. */
function keepYoungGenerationSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1")
}

/** Milliseconds after the first state was read: clients that waited for it are served first. */
const untilCollected = 1_000
/** Milliseconds between looks whether there is work, and room for it. */
const untilNextLook = 2_000
/** So much of the time in between has to be work before room is made. */
const busy = 0.1
/**
 * Bytes for new objects, in two halves. V8 would go up to 32 MB and more: with 10,000 pods the process took 189 MB so, in place of 134 to 139 MB. With the 1 MB
 * that it begins with, reading them takes an eighth longer.
 */
export const room = 8 * 1024 * 1024
/** More than a half of 1 or 2 MB can hold: what survives so makes V8 enlarge it. With more, what they leave behind takes 5 MB until all is collected. */
const survivors = 100_000
/** One is enough in most cases. Where V8 may not have so much room (`--max-heap-size`, `--max-semi-space-size`) no number of them is. */
const roundsInVain = 3

/**
 * The state was read: what that left behind goes, and while there is work there are two times 4 MB for new objects. With as much as they like there would
 * be 32 MB with a thousand clients; with what V8 begins with, 1 MB, a change for many clients costs more CPU, since more survives. V8 takes the room away
 * when nothing is to be done. Where V8 may not have it, it is tried for once.
 */
export function settleAfterFirstState(clock: Clock, cpu = cpuTime, enlarge = enlargeYoungGeneration): Disposable {
  let before = 0
  const look = () => {
    const now = cpu()
    if (now - before > untilNextLook * busy && !enlarge(room)) return
    before = now
    timer = clock.timer(untilNextLook, "room for new objects", look)
  }
  let timer = clock.timer(untilCollected, "garbage of the first state", () => {
    keepYoungGenerationSmall()
    collectGarbage()
    before = cpu()
    timer = clock.timer(untilNextLook, "room for new objects", look)
  })
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() }
}

/** Milliseconds of CPU so far. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** V8 has no call for it: objects that survive make it larger, as long as a flag lets them. False where they do not: it is not worth another try. */
export function enlargeYoungGeneration(bytes: number): boolean {
  setFlagsFromString("--semi-space-growth-factor=2")
  let size = youngGenerationSize()
  for (let inVain = 0; inVain < roundsInVain && size < bytes; ) {
    const kept: object[] = []
    while (kept.length < survivors && youngGenerationSize() < bytes) for (let more = 0; more < 5_000; more++) kept.push({ inVain })
    const before = size
    size = youngGenerationSize()
    inVain = size > before ? 0 : inVain + 1
  }
  keepYoungGenerationSmall()
  return size >= bytes
}
