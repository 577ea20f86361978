import type { ConfigMap, Secret } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { decide, detachedSignature } from "./controller.ts"

const now = Date.UTC(2026, 0, 1)
const id = "abcdef"
const content = "some: kubeconfig"
const key = `jws-kubeconfig-${id}`
const signature = detachedSignature(content, id, "0123456789abcdef")

function token(changed: Readonly<Record<string, string | undefined>> = {}, name = `bootstrap-token-${id}`): Secret {
  const data = { "token-id": id, "token-secret": "0123456789abcdef", "usage-bootstrap-signing": "true", ...changed }
  const encoded = Object.entries(data).flatMap(([field, text]) =>
    text === undefined ? [] : [[field, Buffer.from(text).toString("base64")]],
  )
  const metadata = { name, namespace: "kube-system" }
  return { apiVersion: "v1", kind: "Secret", type: "bootstrap.kubernetes.io/token", metadata, data: Object.fromEntries(encoded) }
}

const info = (data?: ConfigMap["data"]): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "cluster-info", namespace: "kube-public" },
  ...(data && { data }),
})

function written(data: ConfigMap["data"], tokens: readonly Secret[]) {
  const operations = decide({ info: info(data), tokens }, now).steps.flatMap((step) => step.operations)
  expect(operations.map((one) => one.do)).toEqual(operations.map(() => "update"))
  return operations.map((one) => (one as { object?: ConfigMap }).object?.data)[0]
}

test("the signature is that of kubeadm and go-jose, letter by letter", () => {
  expect(detachedSignature("Hello from the other side. I must have called a thousand times.", "joshua", "my voice is my passcode")).toBe(
    "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8",
  )
})

test.each<[name: string, data: ConfigMap["data"], tokens: readonly Secret[], expected: ConfigMap["data"]]>([
  ["it is signed", { kubeconfig: content }, [token()], { kubeconfig: content, [key]: signature }],
  ["nothing changes", { kubeconfig: content, [key]: signature }, [token()], undefined],
  ["a wrong signature is replaced", { kubeconfig: content, [key]: "old" }, [token()], { kubeconfig: content, [key]: signature }],
  ["the signature of a token that is gone goes", { kubeconfig: content, [key]: signature }, [], { kubeconfig: content }],
  ["other keys stay", { kubeconfig: content, other: "x", [key]: "old" }, [], { kubeconfig: content, other: "x" }],
  ["there is no kubeconfig", { other: "x" }, [token()], undefined],
  ["there is no data", undefined, [token()], undefined],
])("%s", (_name, data, tokens, expected) => {
  expect(written(data, tokens)).toEqual(expected)
})

test.each<[name: string, secret: Secret]>([
  ["without an id", token({ "token-id": undefined })],
  ["with another id than its name", token({ "token-id": "b12345" })],
  ["with another name", token({}, "my-token")],
  ["with an id of another form", token({ "token-id": "ABCDEF" }, "bootstrap-token-ABCDEF")],
  ["without a secret", token({ "token-secret": undefined })],
  ["without the usage", token({ "usage-bootstrap-signing": undefined })],
  ["that may not sign", token({ "usage-bootstrap-signing": "false" })],
  ["that has expired", token({ expiration: "2025-12-31T00:00:00Z" })],
  ["whose expiration cannot be read", token({ expiration: "tomorrow" })],
])("a token %s does not sign", (_name, secret) => {
  expect(written({ kubeconfig: content }, [secret])).toBeUndefined()
})

test("the signature of a token that expires is removed then", () => {
  const tokens = [token({ expiration: "2026-01-01T00:05:00Z" })]
  const plan = decide({ info: info({ kubeconfig: content, [key]: signature }), tokens }, now)
  expect(plan.requeue?.after).toBe(300_000)
})
