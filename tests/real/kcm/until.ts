import { setTimeout as delay } from "node:timers/promises"
import type { ApiAnswer, ApiClient } from "../api-client.ts"
import type { Group } from "../tally.ts"

/** Far above what any step takes on a quiet machine: only a fault waits so long. */
const patience = 60_000

export interface ExpectedAnswer {
  readonly name: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** True when the answer is the expected one. */
  readonly when: (answer: ApiAnswer) => boolean
}

/** Asks again and again until the answer is the expected one. How long it took is printed. */
export async function until(group: Group, client: ApiClient, { name, path, query, when }: ExpectedAnswer): Promise<boolean> {
  const started = performance.now()
  for (;;) {
    const answer = await client.send({ verb: "GET", path, query })
    const took = performance.now() - started
    if (when(answer)) {
      group.case(name, undefined)
      group.note(`${name}: ${(took / 1000).toFixed(2)} s`)
      return true
    }
    if (took > patience) {
      group.case(
        name,
        `not within ${patience / 1000} s; the last answer was ${answer.status} ${JSON.stringify(answer.value).slice(0, 2000)}`,
      )
      return false
    }
    await delay(30)
  }
}

/** The status of the object in an answer; an empty one where there is none. */
export function statusIn({ value }: ApiAnswer): Readonly<Record<string, unknown>> {
  return (value as { readonly status?: Readonly<Record<string, unknown>> })?.status ?? {}
}

export function itemsIn({ status, value }: ApiAnswer): readonly Item[] {
  return status === 200 ? (value as { readonly items: readonly Item[] }).items : []
}

/** What the scenarios read of listed objects. */
export interface Item {
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
  readonly spec: { readonly nodeName?: string; readonly containers?: readonly { readonly image: string }[] }
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[]
}
