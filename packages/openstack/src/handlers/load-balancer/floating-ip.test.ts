import { expect, test } from "vitest"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { FloatingIp } from "../../clients/neutron/types.ts"
import { markDescription } from "../../drivers/creation/cluster-marks.ts"
import { releaseFloating } from "./floating-ip.ts"

const { signal } = new AbortController()
const clusterMarks = { cluster: "one" }

/** A Neutron with this one, and what is done to it. */
async function released(description: string, isThere = true): Promise<readonly string[]> {
  const floating = { id: "f", floating_ip_address: "172.24.4.9", description } as FloatingIp
  const done: string[] = []
  const floatingIps = {
    delete: async (id: string) => done.push(`${id} is gone`) > 0,
    find: async () => (isThere ? floating : undefined),
    update: async (id: string, change: object) => {
      done.push(`${id} ${JSON.stringify(change)}`)
      return floating
    },
  }
  await releaseFloating({ cloud: { neutron: { floatingIps } as unknown as Neutron }, clusterMarks }, floating, signal)
  return done
}

test.each<[whose: string, description: string, done: readonly string[]]>([
  ["that was made here", markDescription(clusterMarks, "uid"), ["f is gone"]],
  ["that kuryr took from the pool", "kuryr_lb", ["f is gone"]],
  ["that a user brought", "", ['f {"port_id":null}']],
  ["that another cluster made", markDescription({ cluster: "two" }, "uid"), ['f {"port_id":null}']],
])("a floating IP %s, when its Service needs it no longer", async (_, description, done) => {
  expect(await released(description)).toEqual(done)
})

test("one that a user brought and took away meanwhile needs nothing", async () => {
  expect(await released("", false)).toEqual([])
})
