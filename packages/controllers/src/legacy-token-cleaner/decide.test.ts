import type { Secret, ServiceAccount } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import type { Observed, Token } from "./observe.ts"

const day = 24 * 60 * 60 * 1000
const year = 365 * day
const now = Date.UTC(2026, 0, 5, 9)
const on = (daysAgo: number) => new Date(now - daysAgo * day).toISOString().slice(0, 10)
const used = (daysAgo: number) => ({ "kubernetes.io/legacy-token-last-used": on(daysAgo) })
const invalid = (daysAgo: number) => ({ "kubernetes.io/legacy-token-invalid-since": on(daysAgo) })
const account: ServiceAccount = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "robot" },
  secrets: [{ name: "robot-token-x" }],
}

function token(metadata: Partial<Secret["metadata"]> = {}, more: Partial<Token> = {}): Token {
  const made = { name: "robot-token-x", namespace: "default", uid: "u1", resourceVersion: "7", creationTimestamp: `${on(800)}T00:00:00Z` }
  return { secret: { apiVersion: "v1", kind: "Secret", metadata: { ...made, ...metadata } }, account, isMounted: false, ...more }
}

function done(observed: Partial<Observed>): readonly string[] {
  const plan = decide({ trackedSince: on(700), tokens: [], ...observed }, now, year)
  expect(plan.requeue).toMatchObject({ after: day })
  return plan.steps.flatMap(({ operations }) => operations).map((operation) => operation.do)
}

describe("LegacyServiceAccountTokenCleanUp", () => {
  test.each<[name: string, observed: Partial<Observed>, expected: readonly string[]]>([
    ["configmap does not exist, or has no tracked-since", { trackedSince: undefined, tokens: [token()] }, []],
    ["the time since tracked-since is smaller than the period", { trackedSince: on(365), tokens: [token()] }, []],
    ["a day more, for the first one may not be whole", { trackedSince: on(366), tokens: [token()] }, ["patch"]],
    ["tracked-since cannot be parsed", { trackedSince: "last year", tokens: [token()] }, []],
    ["tracked-since is no day that there is", { trackedSince: "2023-02-30", tokens: [token()] }, []],
    ["secret is not referenced by its account", { tokens: [token({ name: "by-hand" })] }, []],
    ["a late creation time", { tokens: [token({ creationTimestamp: `${on(300)}T00:00:00Z` })] }, []],
    ["a deletion time", { tokens: [token({ deletionTimestamp: `${on(1)}T00:00:00Z` })] }, []],
    ["a late last-used time", { tokens: [token({ labels: used(364) })] }, []],
    ["used on the very day that is a year ago", { tokens: [token({ labels: used(365) })] }, []],
    ["last-used cannot be parsed", { tokens: [token({ labels: { "kubernetes.io/legacy-token-last-used": "often" } })] }, []],
    ["its account does not exist, or is another one", { tokens: [token({}, { account: undefined })] }, []],
    ["no last-used label, not marked as invalid", { tokens: [token()] }, ["patch"]],
    ["invalid-since cannot be parsed", { tokens: [token({ labels: { "kubernetes.io/legacy-token-invalid-since": "long" } })] }, ["patch"]],
    ["no last-used label, invalid for less than the period", { tokens: [token({ labels: invalid(100) })] }, []],
    ["no last-used label, invalid for longer than the period", { tokens: [token({ labels: invalid(366) })] }, ["delete"]],
    ["mounted by a pod", { tokens: [token({ labels: invalid(366) }, { isMounted: true })] }, []],
    ["last used long ago, not marked as invalid", { tokens: [token({ labels: used(366) })] }, ["patch"]],
    ["last used long ago, invalid for less than the period", { tokens: [token({ labels: { ...used(700), ...invalid(300) } })] }, []],
    [
      "last used long ago, invalid for longer than the period",
      { tokens: [token({ labels: { ...used(740), ...invalid(370) } })] },
      ["delete"],
    ],
  ])("%s", (_name, observed, expected) => {
    expect(done(observed)).toEqual(expected)
  })

  test("what is written: today as the label of that very Secret; deleted is only the version that was looked at", () => {
    const operations = decide({ trackedSince: on(700), tokens: [token(), token({ labels: invalid(400) })] }, now, year).steps[0]?.operations
    expect(operations).toMatchObject([
      {
        do: "patch",
        type: "merge",
        patch: { metadata: { uid: "u1", labels: { "kubernetes.io/legacy-token-invalid-since": "2026-01-05" } } },
      },
      { do: "delete", options: { preconditions: { resourceVersion: "7" } }, tolerate: ["Conflict", "NotFound"] },
    ])
  })
})
