import type { Clock } from "@pilothouse/seams"
import type { EventSource } from "../controller/controller.ts"
import type { EventBuffer } from "./event-buffer.ts"

export interface ResyncSource {
  readonly source: EventSource
  readonly enqueue: (key: string, reason: string) => void
}

/** Wakes every key from time to time, and single ones on demand; while somebody listens. */
export function resyncSource(name: string, buffer: EventBuffer, every: number, clock: Clock): ResyncSource {
  let listening: ((key: string, reason: string) => void) | undefined
  return {
    enqueue: (key, reason) => listening?.(key, reason),
    source: {
      listen(wake) {
        listening = wake
        let timer: Disposable | undefined
        const arm = (): void => {
          timer = clock.timer(every, `resync of ${name}`, () => {
            for (const key of buffer.keys) {
              buffer.of(key).resync()
              wake(key, "it is time for another look")
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
