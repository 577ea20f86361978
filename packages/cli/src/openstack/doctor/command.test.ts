import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedOpenStack, serveOpenStack } from "@pilothouse/openstack"
import { seededRandom } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { afterEach, expect, test, vi } from "vitest"
import { runProgram } from "../../program.ts"

/** Everything the program says there. */
function listen(stream: "stderr" | "stdout" = "stderr"): () => string {
  const written: string[] = []
  vi.spyOn(process[stream], "write").mockImplementation((text) => written.push(String(text)) > 0)
  return () => written.join("")
}

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

/** A kuryr.conf with all that has to be there, of a cloud that is not contacted. */
const conf = `[neutron_defaults]
project = p
pod_subnet = pods
service_subnet = services
pod_security_groups = group
[neutron]
auth_url = http://127.0.0.1:9/v3
username = kuryr
password = secret
project_name = k8s
`

test.each(["doctor", "orphans"])(
  "openstack %s with a kubeconfig that is not there says so, asks no cloud and exits with 2",
  async (command) => {
    const directory = mkdtempSync(join(tmpdir(), "pilothouse-doctor-"))
    try {
      const file = join(directory, "kuryr.conf")
      writeFileSync(file, conf)
      const said = listen()
      const missing = join(directory, "nope")
      expect(await runProgram(["openstack", command, "--config-file", file, "--kubeconfig", missing])).toBe(2)
      expect(said()).toBe(`pilothouse: expected a kubeconfig at ${missing}, found no file; check the path\n`)
    } finally {
      rmSync(directory, { recursive: true })
    }
  },
)

test("openstack doctor refuses a $KUBECONFIG that is not there", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-doctor-"))
  vi.stubEnv("KUBECONFIG", join(directory, "nope"))
  try {
    const file = join(directory, "kuryr.conf")
    writeFileSync(file, conf)
    const said = listen()
    expect(await runProgram(["openstack", "doctor", "--config-file", file])).toBe(1)
    expect(said()).toContain(`expected a kubeconfig with a context in KUBECONFIG (${join(directory, "nope")})`)
  } finally {
    vi.unstubAllEnvs()
    rmSync(directory, { recursive: true })
  }
})

/** An API server that refuses every client, and counts requests. */
async function closedApi() {
  let asked = 0
  const server = createServer((_, response) => {
    asked++
    response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify({ kind: "Status", message: "not you", code: 403 }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, asked: () => asked, [Symbol.asyncDispose]: async () => void server.close() }
}

test("openstack doctor looks at the cluster of [kubernetes], as `run --openstack` does; one that cannot be read is a problem: exit code 1", async () => {
  const cloud = new EmbeddedOpenStack({ clock: systemClock, random: seededRandom(1) })
  const { seed } = cloud
  await using served = await serveOpenStack(cloud)
  await using api = await closedApi()
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-doctor-"))
  try {
    const file = join(directory, "kuryr.conf")
    const login = `auth_url = ${served.authUrl}\nusername = ${seed.user.name}\npassword = ${seed.user.password}\nproject_name = ${seed.projectName}\n`
    const networks = `project = ${seed.project}\npod_subnet = ${seed.podSubnet}\nservice_subnet = ${cloud.serviceSubnet("10.96.0.0/12")}\npod_security_groups = ${seed.podSecurityGroup}\n`
    writeFileSync(file, `[kubernetes]\napi_root = ${api.url}\n[neutron]\n${login}[neutron_defaults]\n${networks}`)
    const said = listen("stdout")
    expect(await runProgram(["openstack", "doctor", "--config-file", file])).toBe(0)
    expect(process.exitCode).toBe(1)
    expect(said()).toMatch(new RegExp(`✗ cluster +${api.url} cannot be read: .*not you`))
    expect(said()).toMatch(/1 problem found\. 3 checks were not made: cluster IPs, ports of Services, owners of load balancers\.\n$/)
    expect(api.asked()).toBe(1)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
