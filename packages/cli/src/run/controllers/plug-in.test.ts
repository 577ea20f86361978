import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createCloudControllers } from "@pilothouse/cloud"
import { silentLog, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { settingsOf } from "../settings.ts"
import { findPlugIn, openPlugIn } from "./clouds.ts"

const clock = new VirtualClock()

/** A module of that text, opened as a plug-in. */
async function opened(text: string, words: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-plug-in-"))
  try {
    const path = join(folder, "provider.mjs")
    writeFileSync(path, text)
    const files = virtualFiles(clock)
    files.write("/cloud.conf", "the cloud's own words")
    return await openPlugIn(settingsOf({ "cloud-provider": path, ...words }, {}).own, { files, clock, log: silentLog })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const routes = "{ list: async () => [], create: async () => {}, delete: async () => {} }"

test("a plug-in is given the cluster's name and its configuration, and is closed at the end", async () => {
  const text = `export const createCloudProvider = async ({ clusterName, config }) => ({ name: config, clusterName, routes: ${routes}, [Symbol.asyncDispose]() { globalThis.process.emit("plug-in-closed") } })`
  const closed = { times: 0 }
  const count = () => closed.times++
  process.on("plug-in-closed" as never, count)
  const made = await opened(text, { "cloud-config": "/cloud.conf", "cluster-name": "east" })
  expect(made.provider("east")).toMatchObject({ name: "the cloud's own words", clusterName: "east" })
  await made[Symbol.asyncDispose]()
  process.off("plug-in-closed" as never, count)
  expect(closed.times).toBe(1)
})

test("its default export does too", async () => {
  const made = await opened(`export default ({ clusterName }) => ({ name: "mine", clusterName, routes: ${routes} })`)
  expect(made.provider("kubernetes").name).toBe("mine")
})

test.each<[name: string, text: string, message: string]>([
  [
    "a module that exports something else",
    "export const provider = 1",
    "to export a function createCloudProvider, found exports: provider",
  ],
  ["an empty module", "", "found exports: nothing"],
  ["a module that throws", 'throw new Error("no such luck")', "expected a module at "],
])("%s ends the program", async (_name, text, message) => {
  await expect(opened(text)).rejects.toMatchObject({ code: "USAGE", message: expect.stringContaining(message) })
})

test.each(["aws", "@example/no-such-cloud"])("%s, which is neither a cloud of ours nor a package here, is refused", async (name) => {
  await expect(findPlugIn(name)).rejects.toMatchObject({
    code: "USAGE",
    message: `--cloud-provider: expected openstack, memory, external, nothing, a file such as ./provider.js or an installed package, found "${name}", which is none of them`,
  })
})

test("a file that is not there is refused", async () => {
  await expect(findPlugIn("./no-such-provider.js")).rejects.toMatchObject({ code: "USAGE" })
})

test("a package that is installed is found", async () => {
  expect(await findPlugIn("@pilothouse/cloud")).toHaveProperty("memoryProvider")
})

test.each<[name: string, text: string, reason: string]>([
  ["cannot reach its cloud", 'export default () => { throw new Error("401") }', "401"],
  ["is none", "export default () => 7", "expected a cloud provider, found 7"],
  ["has no name", "export default () => ({})", "expected a provider with a name, found undefined"],
  [
    "has half a capability",
    'export default () => ({ name: "x", routes: { list() {} } })',
    "expected routes with the methods list, create, delete, found no create",
  ],
  [
    "has no capability",
    'export default () => ({ name: "x" })',
    "expected a provider with loadBalancers, instances, routes or some of them, found none",
  ],
])("a provider that %s makes its controllers unhealthy, and ends nothing", async (_name, text, reason) => {
  const { provider } = await opened(text)
  const { controllers, checks } = createCloudControllers({ provider, clock, select: ["service"] })
  expect(controllers).toEqual([])
  expect(checks).toEqual([expect.objectContaining({ name: "service-lb-controller", ok: false, reason: expect.stringContaining(reason) })])
})
