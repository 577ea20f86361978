import { memoryMetrics, PilothouseError, seededRandom, silentLog, type Transport, valueBody } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { startEmbeddedCloud } from "./embedded-cloud.ts"

const kubeSystem: Transport = async () => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: valueBody({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system", uid: "one" } }),
})

function start(transport: Transport, { seed = 1, serviceRange = "10.96.0.0/12" } = {}) {
  const seams = { clock: systemClock, random: seededRandom(seed), log: silentLog, metrics: memoryMetrics() }
  return startEmbeddedCloud({ ...seams, transport, serviceRange })
}

/** The ports that this process listens on: any keeps it from ending. */
async function listening(): Promise<number> {
  // One that was closed is counted until the next turn of the event loop.
  await systemClock.sleep(0, { name: "closed ports are gone" })
  return process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length
}

function passwordIn(kuryrConf: string): string {
  return /^password = (.+)$/m.exec(kuryrConf)?.[1] ?? ""
}

async function logIn(authUrl: string, password: string): Promise<number> {
  const user = { name: "kuryr", domain: { id: "default" }, password }
  const scope = { project: { name: "k8s", domain: { id: "default" } } }
  const body = JSON.stringify({ auth: { identity: { methods: ["password"], password: { user } }, scope } })
  const { status } = await fetch(`${authUrl}/auth/tokens`, { method: "POST", headers: { "content-type": "application/json" }, body })
  return status
}

for (const [name, transport, options] of [
  ["the API server cannot be reached", () => Promise.reject(new PilothouseError("CONNECTION_LOST", "no server there")), {}],
  ["the range of the Services is none", kubeSystem, { serviceRange: "none" }],
] as const)
  test(`${name}: the start fails, and no port is left open`, async () => {
    const before = await listening()
    await expect(start(transport, options)).rejects.toThrow(PilothouseError)
    expect(await listening()).toBe(before)
  })

test("its port is open until it is disposed of", async () => {
  const before = await listening()
  const cloud = await start(kubeSystem)
  expect(await listening()).toBe(before + 1)
  await cloud[Symbol.asyncDispose]()
  expect(await listening()).toBe(before)
})

test("only who may read its files can log in: its password is drawn by lot", async () => {
  await using cloud = await start(kubeSystem)
  await using other = await start(kubeSystem, { seed: 2 })
  const password = passwordIn(cloud.kuryrConf)
  expect(cloud.cloudsYaml).toContain(`"password": "${password}"`)
  expect([await logIn(cloud.authUrl, password), await logIn(cloud.authUrl, "kuryr")]).toEqual([201, 401])
  expect(await logIn(cloud.authUrl, passwordIn(other.kuryrConf))).toBe(401)
})
