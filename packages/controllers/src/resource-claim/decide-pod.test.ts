import { isControlledBy } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { ResourceClaim } from "@pilothouse/api/resource/v1"
import { describeOperation, type Plan } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { claimNameOf } from "./claims-of-pod.ts"
import { claimPrefix, decidePod, settlePod } from "./decide-pod.ts"
import type { ObservedPod } from "./observe-pod.ts"
import { allocation, claimOf, fromTemplate, podWith, reservedFor, template } from "./testing/objects.ts"

const pod = podWith("web", [fromTemplate])
const recorded = podWith("web", [fromTemplate], { status: { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "web-gpu" }] } })
const owned = claimOf(pod, "web-gpu")
const bound = (more: Partial<Pod> = {}) => ({ ...recorded, spec: { ...recorded.spec!, nodeName: "node-1" }, ...more })
const direct = podWith("web", [{ name: "gpu", resourceClaimName: "shared" }])

function observed(of: Pod, claims: readonly ResourceClaim[], { hasTemplate = true } = {}): ObservedPod {
  const entries = (of.spec?.resourceClaims ?? []).map((entry) => {
    const { name: claimName, isGenerated } = claimNameOf(of, entry)
    const made = claims.filter((one) => isGenerated && isControlledBy(one, of))
    return {
      entry,
      claimName,
      isGenerated,
      claim: claims.find(({ metadata }) => metadata.name === claimName),
      made,
      ...(hasTemplate && { template }),
    }
  })
  return { pod: of, entries }
}

function words({ steps, events }: Plan): readonly string[] {
  return [
    ...steps.flatMap(({ operations }) => operations.map(describeOperation)),
    ...events.map(({ reason, message }) => `${reason}: ${message}`),
  ]
}

describe("the claims of a pod", () => {
  const rows: readonly (readonly [name: string, pod: Pod, claims: readonly ResourceClaim[], words: readonly unknown[]])[] = [
    ["a pod without claims needs none", podWith("web", []), [], []],
    ["create", pod, [], [expect.stringContaining("create ResourceClaim")]],
    ["recreate: the claim that the status names is gone", recorded, [], [expect.stringContaining("create ResourceClaim")]],
    ["find-created-claim-in-cache: made before a crash, and not in the status", pod, [owned], [expect.stringContaining("apply")]],
    ["nop: it is there and named", recorded, [owned], []],
    [
      "wrong-claim-owner: another is made",
      recorded,
      [claimOf(podWith("other", []), "web-gpu")],
      [expect.stringContaining("create ResourceClaim")],
    ],
    ["pod-deleted", { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-05T09:00:00Z" } }, [], []],
    ["a pod that has finished gets none back", { ...recorded, status: { ...recorded.status, phase: "Succeeded" } }, [], []],
    ["no claim is needed: the status says so", { ...pod, status: { resourceClaimStatuses: [{ name: "gpu" }] } }, [], []],
    ["a claim that the pod names itself is not made", direct, [], []],
  ]
  test.each(rows)("%s", (_name, of, claims, expected) => {
    expect(words(decidePod(observed(of, claims)))).toEqual(expected)
  })

  test("missing-template: an event, and it is tried again", () => {
    const decided = decidePod(observed(pod, [], { hasTemplate: false }))
    expect(words(decided)).toEqual([
      'FailedResourceClaimCreation: PodResourceClaim gpu: resource claim template "one-gpu": resourceclaimtemplate.resource.k8s.io "one-gpu" not found',
    ])
    expect(decided.requeue?.after).toBe("5m")
  })

  test("the claim is what the template says, and the pod's own without blocking its deletion", () => {
    const [operation] = decidePod(observed(pod, [])).steps.flatMap(({ operations }) => operations)
    expect(operation).toMatchObject({
      object: {
        metadata: {
          generateName: "web-gpu-",
          labels: { app: "a" },
          annotations: { note: "n", "resource.kubernetes.io/pod-claim-name": "gpu" },
          ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web", uid: "uid-web", controller: true }],
        },
        spec: template.spec.spec,
      },
    })
    expect(operation).not.toHaveProperty("object.metadata.ownerReferences.0.blockOwnerDeletion")
  })

  test("one apply names the new claims and those that were named before", () => {
    const second = { name: "nic", resourceClaimTemplateName: "one-gpu" }
    const both = podWith("web", [fromTemplate, second], recorded)
    const seen = observed({ ...both, spec: { ...both.spec!, resourceClaims: [fromTemplate, second] } }, [owned])
    const entries = seen.entries.map((one) => (one.entry.name === "nic" ? { ...one, made: [] } : one))
    const decided = decidePod({ ...seen, entries })
    const [operation] = decided.steps.flatMap(({ operations }) => operations)
    const nic = {
      ...owned,
      metadata: { ...owned.metadata, name: "web-nic-x1", annotations: { "resource.kubernetes.io/pod-claim-name": "nic" } },
    }
    const settled = settlePod({ ...seen, entries }, [{ operation: operation!, ok: true, object: nic }])
    expect(settled.steps.flatMap(({ operations }) => operations)).toMatchObject([
      {
        do: "apply",
        force: true,
        subresource: "status",
        object: {
          status: {
            resourceClaimStatuses: [
              { name: "gpu", resourceClaimName: "web-gpu" },
              { name: "nic", resourceClaimName: "web-nic-x1" },
            ],
          },
        },
      },
    ])
  })
})

describe("a pod that was bound without the scheduler", () => {
  const rows: readonly (readonly [name: string, claim: ResourceClaim, reserved: readonly string[] | undefined])[] = [
    ["add-reserved", claimOf(pod, "web-gpu", { status: { allocation } }), ["web"]],
    ["beside others", claimOf(pod, "web-gpu", { status: { allocation, reservedFor: reservedFor("other") } }), ["other", "web"]],
    ["is reserved already", claimOf(pod, "web-gpu", { status: { allocation, reservedFor: reservedFor("web") } }), undefined],
    ["is not allocated: the kubelet refuses the pod", owned, undefined],
    [
      "is being deleted",
      claimOf(pod, "web-gpu", { metadata: { deletionTimestamp: "2026-01-05T09:00:00Z" }, status: { allocation } }),
      undefined,
    ],
  ]
  test.each(rows)("%s", (_name, claim, expected) => {
    const operations = decidePod(observed(bound(), [claim])).steps.flatMap((step) => step.operations)
    const names = operations.map(
      (operation) => "status" in operation && (operation.status as { reservedFor: { name: string }[] }).reservedFor.map(({ name }) => name),
    )
    expect(names).toEqual(expected === undefined ? [] : [expected])
  })

  test("reserves a claim that it names itself, whichever owner it has", () => {
    const shared = claimOf(undefined, "shared", { status: { allocation } })
    expect(words(decidePod(observed({ ...direct, spec: { ...direct.spec!, nodeName: "node-1" } }, [shared])))).toHaveLength(1)
  })
})

test.each([
  ["web", "gpu", "web-gpu-"],
  ["p".repeat(50), "c".repeat(20), `${"p".repeat(39)}-${"c".repeat(15)}`],
])("the claims of %s and %s begin with %s", (name, entry, expected) => {
  expect(claimPrefix(name, entry)).toBe(expected)
  expect(claimPrefix(name, entry).length).toBeLessThanOrEqual(57)
})
