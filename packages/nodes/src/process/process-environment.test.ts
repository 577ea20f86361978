import { notFound } from "@pilothouse/api"
import { configMaps, type EnvFromSource, type EnvVar, type Pod, secrets } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { processEnvironment } from "./process-environment.ts"

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default" },
  spec: { nodeName: "node-1", containers: [{ name: "main" }, { name: "side", resources: { limits: { cpu: "3" } } }] },
  status: { podIP: "127.116.1.1" },
}

const stored: Readonly<Record<string, object>> = {
  "nodes node-1": { status: { allocatable: { cpu: "16" } } },
  "configmaps default/settings": { data: { COLOUR: "blue", TEXT: "$(POD_IP)" } },
  "secrets default/hidden": { data: { WORD: Buffer.from("sesame").toString("base64") } },
}

const client = {
  get: async (of: { readonly plural: string }, key: string) => {
    const found = stored[`${of.plural} ${key}`]
    if (found === undefined) throw notFound(of.plural === "secrets" ? secrets : configMaps, key)
    return found
  },
} as unknown as Client

async function environment(env: readonly EnvVar[], envFrom: readonly EnvFromSource[] = []): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(await processEnvironment(pod, { name: "main", env, envFrom }, client))
}

test("without asking a process knows where it is to listen, and who it is", async () => {
  expect(await environment([])).toEqual({ POD_IP: "127.116.1.1", HOST: "127.116.1.1", HOSTNAME: "web" })
})

test.each<[string, readonly EnvVar[], string | undefined]>([
  ["a plain value", [{ name: "A", value: "1" }], "1"],
  [
    "one of others before it",
    [
      { name: "B", value: "b" },
      { name: "A", value: "$(B) on $(POD_IP)" },
    ],
    "b on 127.116.1.1",
  ],
  [
    "one of others after it stays as it is",
    [
      { name: "A", value: "$(B)" },
      { name: "B", value: "b" },
    ],
    "$(B)",
  ],
  ["of a ConfigMap, as it is", [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "TEXT" } } }], "$(POD_IP)"],
  ["of a Secret, in plain", [{ name: "A", valueFrom: { secretKeyRef: { name: "hidden", key: "WORD" } } }], "sesame"],
  [
    "of a ConfigMap that need not be there",
    [{ name: "A", valueFrom: { configMapKeyRef: { name: "none", key: "a", optional: true } } }],
    undefined,
  ],
  [
    "of a key that need not be there",
    [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a", optional: true } } }],
    undefined,
  ],
  ["of its pod", [{ name: "A", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }], "127.116.1.1"],
  [
    "of the resources of another container",
    [{ name: "A", valueFrom: { resourceFieldRef: { containerName: "side", resource: "limits.cpu" } } }],
    "3",
  ],
  ["of what its node has, where it has no limit", [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }], "16"],
  [
    "in place of what it would know without asking",
    [
      { name: "HOST", value: "0.0.0.0" },
      { name: "A", value: "$(HOST)" },
    ],
    "0.0.0.0",
  ],
])("a variable: %s", async (_name, env, expected) => {
  expect((await environment(env)).A).toBe(expected)
})

test("all of a ConfigMap and of a Secret, under names of one's own, and behind single ones", async () => {
  const envFrom = [{ configMapRef: { name: "settings" } }, { prefix: "MY_", secretRef: { name: "hidden" } }]
  expect(await environment([], envFrom)).toMatchObject({ COLOUR: "blue", MY_WORD: "sesame" })
  expect((await environment([{ name: "COLOUR", value: "red" }], envFrom)).COLOUR).toBe("red")
  expect(await environment([], [{ configMapRef: { name: "none", optional: true } }])).not.toHaveProperty("COLOUR")
})

describe("what is missing is said in upstream's words", () => {
  test.each<[string, EnvVar["valueFrom"]]>([
    ['configmap "none" not found', { configMapKeyRef: { name: "none", key: "a" } }],
    ['secret "none" not found', { secretKeyRef: { name: "none", key: "a" } }],
    ["couldn't find key a in ConfigMap default/settings", { configMapKeyRef: { name: "settings", key: "a" } }],
    ["couldn't find key a in Secret default/hidden", { secretKeyRef: { name: "hidden", key: "a" } }],
    ["no field spec.colour in a pod", { fieldRef: { fieldPath: "spec.colour" } }],
  ])("%s", async (message, valueFrom) => {
    await expect(environment([{ name: "A", valueFrom }])).rejects.toThrow(message)
  })
})
