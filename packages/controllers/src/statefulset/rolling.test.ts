import type { StatefulSet, StatefulSetSpec } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { context, kubeOperationsOf, movesOf, nameFor, observed, parallel, pod, pods, statefulSet } from "./testing/objects.ts"

const rolling = (rollingUpdate: { partition?: number; maxUnavailable?: number | string }, spec: Partial<StatefulSetSpec> = {}) =>
  statefulSet(3, { image: 2, current: 1, spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate }, ...spec } })
const fresh = (ordinal: number, facts: Parameters<typeof pod>[1] = {}) => pod(ordinal, { image: 2, ...facts })

interface Row {
  readonly name: string
  readonly of: StatefulSet
  readonly pods: readonly Pod[]
  readonly expected: readonly string[]
}

describe("a new template", () => {
  test.each<Row>([
    {
      name: "begins with the highest number (StatefulSetControlRollingUpdate)",
      of: rolling({ partition: 0 }),
      pods: pods(3),
      expected: ["delete web-2"],
    },
    { name: "goes on when that is available", of: rolling({ partition: 0 }), pods: [pod(0), pod(1), fresh(2)], expected: ["delete web-1"] },
    { name: "comes back with the new revision", of: rolling({ partition: 0 }), pods: pods(2), expected: ["create web-2"] },
    {
      name: "waits while the new pod is not ready",
      of: rolling({ partition: 0 }),
      pods: [pod(0), pod(1), fresh(2, { ready: false })],
      expected: [],
    },
    {
      name: "waits until it has been ready for long enough (StatefulSetRollingUpdateRespectsMinReadySeconds)",
      of: rolling({ partition: 0 }, { minReadySeconds: 60 }),
      pods: [pod(0), pod(1), fresh(2, { readySince: "08:59:30" })],
      expected: [],
    },
    {
      name: "ends at the partition (StatefulSetControlRollingUpdateWithPartition)",
      of: rolling({ partition: 2 }),
      pods: [pod(0), pod(1), fresh(2)],
      expected: [],
    },
    {
      name: "above the partition it is the same",
      of: rolling({ partition: 1 }),
      pods: [pod(0), pod(1), fresh(2)],
      expected: ["delete web-1"],
    },
    { name: "a partition beyond all pods stops everything", of: rolling({ partition: 9 }), pods: pods(3), expected: [] },
    {
      name: "OnDelete replaces no pod (StatefulSetControlOnDeleteUpdate)",
      of: statefulSet(3, { image: 2, current: 1, spec: { updateStrategy: { type: "OnDelete" } } }),
      pods: pods(3),
      expected: [],
    },
    { name: "in parallel one at a time too", of: rolling({ partition: 0 }, parallel), pods: pods(3), expected: ["delete web-2"] },
    {
      name: "in parallel a broken old pod is replaced",
      of: rolling({ partition: 0 }, parallel),
      pods: [pod(0), pod(1), pod(2, { ready: false })],
      expected: ["delete web-2"],
    },
    {
      name: "in parallel a broken new pod is waited for",
      of: rolling({ partition: 0 }, parallel),
      pods: [pod(0), pod(1), fresh(2, { ready: false })],
      expected: [],
    },
    {
      name: "in parallel a failed pod is deleted once",
      of: rolling({ partition: 0 }, parallel),
      pods: [pod(0), pod(1), pod(2, { phase: "Failed" })],
      expected: ["delete web-2"],
    },
    {
      name: "several may be missing (StatefulSetControlRollingUpdateWithMaxUnavailable)",
      of: rolling({ partition: 0, maxUnavailable: 2 }, parallel),
      pods: pods(3),
      expected: ["delete web-2", "delete web-1"],
    },
    {
      name: "fewer where some are missing already",
      of: rolling({ partition: 0, maxUnavailable: 2 }, parallel),
      pods: [pod(0, { ready: false }), pod(1), pod(2)],
      expected: ["delete web-2"],
    },
    {
      name: "never below the partition",
      of: rolling({ partition: 2, maxUnavailable: 3 }, parallel),
      pods: pods(3),
      expected: ["delete web-2"],
    },
    { name: "a small percentage is one", of: rolling({ partition: 0, maxUnavailable: "10%" }), pods: pods(3), expected: ["delete web-2"] },
    { name: "a percentage rounds down", of: rolling({ partition: 0, maxUnavailable: "60%" }), pods: pods(3), expected: ["delete web-2"] },
    {
      name: "in order nothing moves while a pod is missing (…InOrderedModeVerifyInvariant)",
      of: rolling({ partition: 0, maxUnavailable: 2 }),
      pods: [pod(0), pod(1, { ready: false }), pod(2)],
      expected: [],
    },
  ])("$name", ({ of, pods: given, expected }) => {
    expect(movesOf(decide(observed(of, { pods: given }), context))).toEqual(expected)
  })
})

describe("the revision of a pod that comes back", () => {
  const remade = (of: StatefulSet, ordinal: number) => {
    const others = pods(3).filter((_, index) => index !== ordinal)
    const [made] = kubeOperationsOf(decide(observed(of, { pods: others }), context))
    const object = made?.object as Pod
    return [object.metadata.labels?.["controller-revision-hash"], object.spec?.containers[0]?.image]
  }

  test.each([
    { name: "below the partition it is the current one", of: rolling({ partition: 2 }), ordinal: 1, image: 1 },
    { name: "from the partition on it is the new one", of: rolling({ partition: 2 }), ordinal: 2, image: 2 },
    { name: "the partition counts from the first number", of: rolling({ partition: 1 }, { ordinals: { start: 0 } }), ordinal: 0, image: 1 },
    {
      name: "with OnDelete it is the new one",
      of: statefulSet(3, { image: 2, current: 1, spec: { updateStrategy: { type: "OnDelete" } } }),
      ordinal: 0,
      image: 2,
    },
    {
      name: "without a partition it is the current one as long as pods have it",
      of: statefulSet(3, { image: 2, current: 1, spec: { updateStrategy: { type: "RollingUpdate" } }, status: { currentReplicas: 2 } }),
      ordinal: 1,
      image: 1,
    },
  ])("$name", ({ of, ordinal, image }) => {
    expect(remade(of, ordinal)).toEqual([nameFor(image), `example/web:${image}`])
  })
})
