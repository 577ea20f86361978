import type { Clock } from "@pilothouse/seams"
import type { EventSource } from "../controller/controller.ts"
import type { Lanes } from "./lanes.ts"

export interface Beat {
  readonly alarm: EventSource
  readonly wake: (key: string, reason: string) => void
}

/** Wakes every key from time to time, and single ones on demand; while somebody listens. */
export function resyncAlarm(name: string, lanes: Lanes, every: number, clock: Clock): Beat {
  let listening: ((key: string, reason: string) => void) | undefined
  return {
    wake: (key, reason) => listening?.(key, reason),
    alarm: {
      listen(wake) {
        listening = wake
        let timer: Disposable | undefined
        const arm = (): void => {
          timer = clock.timer(every, `resync of ${name}`, () => {
            for (const key of lanes.keys) {
              lanes.of(key).look()
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
