import type { ObjectMeta } from "@pilothouse/api"
import { expect, test } from "vitest"
import { deletionLines } from "./sections.ts"

const now = Date.parse("2026-01-05T09:01:00Z")

const rows: Record<string, { metadata: Partial<ObjectMeta>; says: readonly string[] }> = {
  "nothing of one that is not deleted": { metadata: { finalizers: ["example.com/held"] }, says: [] },
  "since when, and how long it still has": {
    metadata: { deletionTimestamp: "2026-01-05T09:01:20Z", deletionGracePeriodSeconds: 30 },
    says: ["asked for 10s ago", "it has 20s left to end by itself"],
  },
  "what a finalizer of Kubernetes waits for": {
    metadata: { deletionTimestamp: "2026-01-05T09:00:00Z", finalizers: ["kubernetes.io/pvc-protection"] },
    says: ["asked for 1m ago", "the finalizer kubernetes.io/pvc-protection holds it while a pod uses it"],
  },
  "what keeps a class of volumes": {
    metadata: { deletionTimestamp: "2026-01-05T09:00:00Z", finalizers: ["kubernetes.io/vac-protection"] },
    says: ["asked for 1m ago", "the finalizer kubernetes.io/vac-protection holds it while a claim or a volume names it"],
  },
  "that an unknown finalizer is of another program": {
    metadata: { deletionTimestamp: "2026-01-05T09:00:00Z", finalizers: ["example.com/held"] },
    says: ["asked for 1m ago", "the finalizer example.com/held holds it until the one that added it removes it"],
  },
}

test.each(Object.entries(rows))("says %s", (_, { metadata, says }) => {
  expect(deletionLines({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata } }, now)).toEqual(says)
})
