import { memoryMetrics, recordingLog, seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, onTestFinished, test } from "vitest"
import { readAuthorizers } from "./authorization.ts"
import { AuthorizationReload } from "./authorization-reload.ts"

const path = "/authorization.yaml"
const configuration = (...types: readonly string[]) =>
  `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
${types.map((type) => `  - { type: ${type}, name: ${type.toLowerCase()} }\n`).join("")}`

/** A server with Node and RBAC whose configuration is followed; `after` lets time go on after the file was written. */
async function followed() {
  const clock = new VirtualClock()
  const files = virtualFiles(clock)
  const metrics = memoryMetrics()
  const { log, lines } = recordingLog()
  const seams = { clock, files, log, random: seededRandom(1) }
  const { createApiServer } = await import("@pilothouse/apiserver")
  const started = await readAuthorizers(configuration("Node", "RBAC"), seams)
  const server = createApiServer({ ...seams, authorizationModes: started.modes })
  onTestFinished(() => server.close())
  const read = (text: string) => readAuthorizers(text, seams)
  const reload = new AuthorizationReload({ ...seams, path, started, read, server, hostname: "here", metrics }).start()
  onTestFinished(() => reload[Symbol.asyncDispose]())
  const mayList = async () => {
    const asked = server.transport({ name: "bob", groups: ["system:authenticated"] })
    return (await asked({ verb: "GET", path: "/api/v1/secrets", query: {}, headers: {} })).status === 200
  }
  const after = async (text: string) => {
    files.write(path, text)
    await clock.advance(11_000)
    return mayList()
  }
  const series = (name: string) => {
    const text = metrics.text().split("\n")
    return text.filter((line) => line.startsWith(`apiserver_authorization_config_controller_${name}{`))
  }
  return { after, mayList, series, lines, files, clock }
}

test("a changed configuration decides without a restart", async () => {
  const { after, mayList, series } = await followed()
  expect(await mayList()).toBe(false)
  const before = series("last_config_info")
  expect(before).toEqual([expect.stringMatching(/apiserver_id_hash="sha256:[0-9a-f]{64}",hash="sha256:[0-9a-f]{64}"\} 1$/)])
  expect(await after(configuration("Node", "RBAC", "AlwaysAllow"))).toBe(true)
  expect(series("automatic_reloads_total")).toEqual([expect.stringMatching(/status="success".*\} 1$/)])
  expect(series("automatic_reload_last_timestamp_seconds")).toHaveLength(1)
  expect(series("last_config_info")).toHaveLength(1)
  expect(series("last_config_info")).not.toEqual(before)
  expect(await after(configuration("RBAC", "Node"))).toBe(false)
})

test("a comment is no change", async () => {
  const { after, series } = await followed()
  expect(await after(`# as before\n${configuration("Node", "RBAC")}`)).toBe(false)
  expect(series("automatic_reloads_total")).toEqual([])
})

test.each([
  ["a mode less", configuration("AlwaysAllow", "Node"), "missing required types: [RBAC]"],
  ["an unknown field", configuration("Node", "RBAC", "AlwaysAllow").replace("kind:", "knd: x\nkind:"), 'unknown field "knd"'],
  ["no YAML", "{", "expected YAML"],
])("%s is refused, and the last good configuration stays", async (_what, text, why) => {
  const { after, series, lines } = await followed()
  expect(await after(text)).toBe(false)
  expect(series("automatic_reloads_total")).toEqual([expect.stringMatching(/status="failure".*\} 1$/)])
  expect(JSON.stringify(lines)).toContain(JSON.stringify(why).slice(1, -1))
  expect(await after(configuration("Node", "RBAC", "AlwaysAllow"))).toBe(true)
})

test("a mode that was off at the start is refused", async () => {
  const clock = new VirtualClock()
  const { createApiServer } = await import("@pilothouse/apiserver")
  const server = createApiServer({ clock, random: seededRandom(1), authorizationModes: ["RBAC"] })
  onTestFinished(() => server.close())
  expect(() => server.replaceAuthorizers(["RBAC", "Node"])).toThrow(
    "authorizer type Node is not allowed if it was not enabled at initial server startup",
  )
})
