import type { Secret } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { decide } from "./controller.ts"

const now = Date.UTC(2026, 0, 1)

function token(expiration: string | undefined, more: Partial<Secret> = {}): Secret {
  const data: Secret["data"] = expiration === undefined ? {} : { expiration: Buffer.from(expiration).toString("base64") }
  const metadata = { name: "bootstrap-token-abcdef", namespace: "kube-system" }
  return { apiVersion: "v1", kind: "Secret", type: "bootstrap.kubernetes.io/token", metadata, data, ...more }
}

test.each<[name: string, secret: Secret, then: "deleted" | number | undefined]>([
  ["without an expiration stays", token(undefined), undefined],
  ["whose expiration is empty stays", token(""), undefined],
  ["that has expired goes", token("2025-12-31T23:59:59Z"), "deleted"],
  ["that expires now goes", token("2026-01-01T00:00:00Z"), "deleted"],
  ["that expires in a minute is looked at then", token("2026-01-01T00:01:00Z"), 60_000],
  ["that expires in another time zone is looked at then", token("2026-01-01T01:00:10+01:00"), 10_000],
  ["whose expiration cannot be read goes", token("tomorrow"), "deleted"],
  ["of another type stays", token("2025-01-01T00:00:00Z", { type: "Opaque" }), undefined],
  [
    "of another namespace stays",
    token("2025-01-01T00:00:00Z", { metadata: { name: "bootstrap-token-abcdef", namespace: "default" } }),
    undefined,
  ],
])("a token %s", (_name, secret, then) => {
  const plan = decide(secret, now)
  const operations = plan.steps.flatMap((step) => step.operations)
  expect(operations.map((one) => one.do)).toEqual(then === "deleted" ? ["delete"] : [])
  expect(plan.requeue?.after).toBe(typeof then === "number" ? then : undefined)
})
