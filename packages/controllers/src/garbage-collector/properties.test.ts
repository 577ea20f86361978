import { type OwnerReference } from "@pilothouse/api"
import { configMaps } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import fc from "fast-check"
import { expect, test } from "vitest"

const names = ["a", "b", "c", "d", "e", "f"]
const gone = { name: "never", uid: "00000000-0000-4000-8000-000000000000" }

type Action =
  | { readonly do: "own"; readonly dependent: string; readonly owner: string; readonly blocks: boolean }
  | { readonly do: "delete"; readonly name: string; readonly policy: "Background" | "Foreground" | "Orphan" }
  | { readonly do: "crash" }

const name = fc.constantFrom(...names)
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("own" as const),
      dependent: name,
      owner: fc.constantFrom(...names, "never"),
      blocks: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("delete" as const), name, policy: fc.constantFrom("Background", "Foreground", "Orphan") }),
  },
  { weight: 1, arbitrary: fc.constant<Action>({ do: "crash" }) },
)

/** Which object owns which: by name, and "never" for an owner that never was. */
class Model {
  readonly owners = new Map<string, Set<string>>(names.map((each) => [each, new Set()]))

  own(dependent: string, owner: string): void {
    this.owners.get(dependent)?.add(owner)
    this.collect()
  }

  delete(deleted: string, orphan: boolean): void {
    this.owners.delete(deleted)
    if (orphan) for (const owners of this.owners.values()) owners.delete(deleted)
    this.collect()
  }

  /** Who has only owners that are gone goes too, and so on. Who keeps one loses the others: their references. */
  collect(): void {
    for (;;) {
      const lost = [...this.owners].filter(([, owners]) => owners.size > 0 && ![...owners].some((owner) => this.owners.has(owner)))
      if (lost.length === 0) break
      for (const [each] of lost) this.owners.delete(each)
    }
    for (const owners of this.owners.values()) for (const owner of owners) if (!this.owners.has(owner)) owners.delete(owner)
  }

  text(): readonly string[] {
    return [...this.owners].map(([each, owners]) => `${each} of ${[...owners].sort().join(", ")}`).sort()
  }
}

async function act(running: Cluster, model: Model, one: Action): Promise<void> {
  if (one.do === "crash") return running.restartControllers()
  if (one.do === "delete") {
    if (!model.owners.has(one.name)) return
    await running.client.delete(configMaps, `default/${one.name}`, { propagationPolicy: one.policy })
    return model.delete(one.name, one.policy === "Orphan")
  }
  const { dependent, owner, blocks } = one
  if (dependent === owner || !model.owners.has(dependent) || (owner !== "never" && !model.owners.has(owner))) return
  if (model.owners.get(dependent)!.has(owner)) return
  const { metadata } = await running.client.get(configMaps, `default/${dependent}`)
  const { name: of, uid = "" } = owner === "never" ? gone : (await running.client.get(configMaps, `default/${owner}`)).metadata
  const added: OwnerReference = { apiVersion: "v1", kind: "ConfigMap", name: of ?? "", uid, blockOwnerDeletion: blocks }
  await running.client.patch(configMaps, `default/${dependent}`, {
    metadata: { ownerReferences: [...(metadata.ownerReferences ?? []), added] },
  })
  model.own(dependent, owner)
}

async function found(running: Cluster): Promise<readonly string[]> {
  const all = (await running.list(configMaps, { namespace: "default" })).filter(({ metadata }) => names.includes(metadata.name ?? ""))
  return all
    .map(
      ({ metadata }) =>
        `${metadata.name} of ${(metadata.ownerReferences ?? [])
          .map((owner) => owner.name)
          .sort()
          .join(", ")}`,
    )
    .sort()
}

test("whatever owns what, in cycles too, and however owners are deleted: exactly those with an owner are left", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 20, size: "max" }), async (actions) => {
      await using running = await cluster({ controllers: ["garbage-collector"], nodes: 0 })
      for (const each of names) await running.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: each, namespace: "default" } })
      const model = new Model()
      for (const one of actions) {
        await act(running, model, one)
        await running.advance("40s")
        expect(await found(running)).toEqual(model.text())
      }
    }),
    { numRuns: 12 },
  )
})
