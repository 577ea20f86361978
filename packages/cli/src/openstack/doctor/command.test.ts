import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { runProgram } from "../../program.ts"

/** Everything the program says on standard error. */
function listen(): () => string {
  const written: string[] = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0)
  return () => written.join("")
}

afterEach(() => vi.restoreAllMocks())

/** A kuryr.conf with all that has to be there, of a cloud that nobody asks. */
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
