import { type Descriptor, resource } from "@pilothouse/api"
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from "@pilothouse/api/apiextensions/v1"
import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { WatchEvent } from "../client/wire/watch-stream.ts"
import { untilEstablished } from "./apply-definitions.ts"

const name = "widgets.example.com"

type Condition = readonly [type: string, status: "True" | "False", reason: string, message: string]

function definition(...conditions: readonly Condition[]): CustomResourceDefinition {
  const versions = ["v1", "v2"].map((version) => ({ name: version, served: version === "v1", storage: version === "v1" }))
  const written = conditions.map(
    ([type, status, reason, message]): CustomResourceDefinitionCondition => ({ type, status, reason, message }),
  )
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: { group: "example.com", scope: "Namespaced", names: { plural: "widgets", kind: "Widget" }, versions },
    status: { conditions: written },
  }
}

const accepted: Condition = ["NamesAccepted", "True", "NoConflicts", "no conflicts found"]
const installing: Condition = ["Established", "False", "Installing", "the initial names have been accepted"]
const established: Condition = ["Established", "True", "InitialNamesAccepted", "the initial names have been accepted"]
const conflict: Condition = ["NamesAccepted", "False", "PluralConflict", '"widgets" is already in use']

const shown = (...conditions: readonly Condition[]): WatchEvent => ({ type: "MODIFIED", object: definition(...conditions) })

/** A client whose watches show these events one after the other, and whose discovery has the kind from the given call on. */
function clientOf(watches: readonly (readonly WatchEvent[])[], discoveredAt = 1) {
  let watched = 0
  let discoveries = 0
  const widgets = resource({ group: "example.com", version: "v1", kind: "Widget" })
  return {
    discoveries: () => discoveries,
    client: {
      async watch(_of: Descriptor, { signal }: { readonly signal?: AbortSignal } = {}) {
        const events = watches[watched++]
        return (async function* () {
          yield* events ?? []
          if (events === undefined)
            await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)))
        })()
      },
      resources: async () => (++discoveries < discoveredAt ? [] : [widgets]),
    } as never,
  }
}

test("a definition is waited for over several watches, then its served versions in discovery", async () => {
  const clock = new VirtualClock()
  const { client, discoveries } = clientOf([[shown()], [shown(accepted, installing), shown(accepted, established)]], 3)
  const found = await clock.run(untilEstablished(client, name, { clock }))
  expect([found?.status?.conditions?.length, discoveries(), clock.elapsed()]).toEqual([2, 3, 200])
})

test("refused names end the wait with the reason of the condition", async () => {
  const clock = new VirtualClock()
  const { client } = clientOf([[shown(conflict, ["Established", "False", "NotAccepted", "not all names are accepted"])]])
  await expect(clock.run(untilEstablished(client, name, { clock }))).rejects.toMatchObject({
    code: "INVALID",
    message:
      'expected widgets.example.com to be established, found NamesAccepted False, PluralConflict: "widgets" is already in use; Established False, NotAccepted: not all names are accepted; rename it, or delete the definition that has the name',
  })
})

test("a definition that is deleted ends the wait", async () => {
  const clock = new VirtualClock()
  const { client } = clientOf([[shown(accepted, installing), { type: "DELETED", object: definition() }]])
  await expect(clock.run(untilEstablished(client, name, { clock }))).rejects.toThrow("found that it was deleted")
})

test("the time is limited, and the error has the conditions", async () => {
  const clock = new VirtualClock()
  const { client } = clientOf([[shown(accepted, installing)]])
  await expect(clock.run(untilEstablished(client, name, { clock, timeout: "5s" }))).rejects.toMatchObject({
    code: "TIMEOUT",
    message:
      "expected widgets.example.com to be established within 5s, found Established False, Installing: the initial names have been accepted",
  })
  expect(clock.elapsed()).toBe(5000)
})
