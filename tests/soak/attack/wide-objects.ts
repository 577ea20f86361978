import type { Attempt } from "./row.ts"
import { pause } from "./waiting.ts"
import type { WireAnswer } from "./wire.ts"

export const v1 = "/api/v1/namespaces/default"
export const template = { metadata: { labels: { a: "b" } }, spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } }

export const all = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

/** Lets controllers work, and judges their turns. */
export async function settle({ expectTurns }: Attempt, what: string, milliseconds = 1500): Promise<void> {
  await pause(milliseconds)
  await expectTurns(what)
}

export async function patch({ admin }: Attempt, path: string, body: unknown, type = "merge"): Promise<WireAnswer> {
  return admin.send({ method: "PATCH", path, headers: { "content-type": `application/${type}-patch+json` }, body })
}
