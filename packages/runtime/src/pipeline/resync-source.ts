import type { Clock } from "@pilothouse/seams"
import type { EventSource } from "../controller/controller.ts"
import type { EventBuffer } from "./event-buffer.ts"

export interface ResyncSource {
  readonly source: EventSource
  readonly enqueue: (key: string, reason: string) => void
}

/** Creates an event source that enqueues every key at an interval, and single keys on demand, while it has a listener. */
export function resyncSource(name: string, buffer: EventBuffer, every: number, clock: Clock): ResyncSource {
  let listening: ((key: string, reason: string) => void) | undefined
  return {
    enqueue: (key, reason) => listening?.(key, reason),
    source: {
      listen(enqueue) {
        listening = enqueue
        let timer: Disposable | undefined
        const arm = (): void => {
          timer = clock.timer(every, `resync of ${name}`, () => {
            for (const key of buffer.keys) {
              buffer.of(key).resync()
              enqueue(key, "resync")
            }
            arm()
          })
        }
        arm()
        return {
          [Symbol.dispose]() {
            timer?.[Symbol.dispose]()
            listening = undefined
          },
        }
      },
    },
  }
}
