import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { Pod, Volume } from "@pilothouse/api/core/v1"
import { aPod, aStatefulSet } from "@pilothouse/testing/builders"
import { expect, test } from "vitest"
import { hasStorage } from "./stateful-pod.ts"

const count = 2000

/** A pod that has a volume for each template; `reads` counts how often the name of a volume is read. */
function setAndPod(): { readonly set: StatefulSet; readonly pod: Pod; readonly reads: () => number } {
  let reads = 0
  const names = Array.from({ length: count }, (_, at) => `data-${at}`)
  const volumes = names.map(
    (name): Volume => ({
      get name() {
        reads++
        return name
      },
      persistentVolumeClaim: { claimName: `${name}-db-0` },
    }),
  )
  const set = aStatefulSet("db", { spec: { volumeClaimTemplates: names.map((name) => ({ metadata: { name } })) as never } })
  return { set, pod: aPod("db-0", { spec: { volumes } }), reads: () => reads }
}

test("the volumes of a pod are compared with thousands of claim templates in linear time", () => {
  const { set, pod, reads } = setAndPod()
  expect(hasStorage(set, pod)).toBe(true)
  expect(reads()).toBeLessThanOrEqual(2 * count)
})

test("a volume with another claim is found among thousands", () => {
  const { set, pod } = setAndPod()
  const volumes = pod.spec!.volumes!.with(1234, { name: "data-1234", persistentVolumeClaim: { claimName: "other" } })
  expect(hasStorage(set, { ...pod, spec: { ...pod.spec!, volumes } })).toBe(false)
})
