// What docs/guides/coming-from-kuryr.md shows and says to run, on an API server and a cloud with sockets. What is taken over is tried in
// packages/openstack/src/handlers/take-over*.test.ts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedOpenStack, readKuryrConf, serveOpenStack } from "@pilothouse/openstack"
import { silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterEach, expect, test, vi } from "vitest"
import { startApiServer } from "../apiserver/start.ts"
import { defaults } from "../apiserver/testing/flags.ts"
import { Signals } from "../commands/testing/signals.ts"
import { runProgram } from "../program.ts"

afterEach(() => vi.restoreAllMocks())

const root = join(import.meta.dirname, "../../../..")
const guide = readFileSync(join(root, "docs/guides/coming-from-kuryr.md"), "utf8")
const [, conf = ""] = /```ini\n(.*?)```/s.exec(guide) ?? []
const commands = [...guide.matchAll(/^ {3}npx @pilothouse\/cli (.*)$/gm)].map(([, words = ""]) => words.split(" "))

/** The guide's kuryr.conf with the login and the networks of a cloud that is there. */
function confOf(cloud: EmbeddedOpenStack, authUrl: string): string {
  const { seed } = cloud
  const values: Readonly<Record<string, string>> = {
    auth_url: authUrl,
    username: seed.user.name,
    password: seed.user.password,
    project_name: seed.projectName,
    project: seed.project,
    pod_subnet: seed.podSubnet,
    service_subnet: cloud.serviceSubnet(defaults.serviceClusterIpRange),
    pod_security_groups: seed.podSecurityGroup,
    external_svc_net: seed.publicNetwork,
  }
  return conf.replace(/^([a-z_]+) = .*$/gm, (line, name: string) => (values[name] === undefined ? line : `${name} = ${values[name]}`))
}

test("every option of the guide's kuryr.conf is read", () => {
  expect(readKuryrConf(conf)).toMatchObject({ podVifDriver: "neutron-vif", vifPoolDriver: "neutron", pool: { min: 5 }, unknown: [] })
})

test.each([
  ["pod_subnets_driver = namespace", /pod_subnets_driver: expected one of default, found "namespace"/],
  ["pod_project_driver = annotation", /pod_project_driver: expected one of default, found "annotation"/],
])("the guide says that %s is refused", (line, message) => {
  expect(guide).toContain(line)
  expect(() => readKuryrConf(conf.replace("[kubernetes]\n", `[kubernetes]\n${line}\n`))).toThrow(message)
})

test("doctor finds nothing wrong, and a dry run tries what the handlers would do", async () => {
  await using making = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-kuryr-"))
  making.defer(() => rmSync(folder, { recursive: true }))
  const [kubeconfig, kuryrConf] = [join(folder, "kubeconfig"), join(folder, "kuryr.conf")]
  const cloud = new EmbeddedOpenStack({ clock: systemClock, random: systemRandom(), knobs: { loadBalancerDelay: 0 } })
  const { authUrl } = making.use(await serveOpenStack(cloud))
  writeFileSync(kuryrConf, confOf(cloud, authUrl))
  const seams = { clock: systemClock, random: systemRandom(), files: virtualFiles(systemClock), log: silentLog }
  writeFileSync(kubeconfig, JSON.stringify(making.use(await startApiServer(defaults, seams)).kubeconfig))
  const written = [process.stdout, process.stderr].map((output) => vi.spyOn(output, "write").mockImplementation(() => true))
  const said = () => written.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join("")
  const run = (words: readonly string[]) =>
    runProgram([...words.map((word) => (word === "kuryr.conf" ? kuryrConf : word)), "--kubeconfig", kubeconfig])
  const [doctor, look] = commands
  expect([await run(doctor!), said()]).toEqual([0, expect.stringContaining("Nothing is wrong.")])
  const from = cloud.writes
  using signals = new Signals()
  const looking = run(look!)
  await expect.poll(said, { timeout: 5000 }).toContain("would do this, but this is a dry run")
  signals.send("SIGTERM")
  expect(await looking).toBe(0)
  expect(cloud.writes).toBe(from)
})
