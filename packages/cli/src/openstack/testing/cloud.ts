import { EmbeddedOpenStack, openStack, readKuryrConf } from "@pilothouse/openstack"
import { type Clock, seededRandom, VirtualClock } from "@pilothouse/seams"

/** An embedded cloud in virtual time, its clients, and a configuration that fits it. */
export function testCloud(options: Record<string, string> = {}) {
  const clock = new VirtualClock()
  return { clock, ...cloudIn(clock, options), signal: new AbortController().signal }
}

/** The same with a given clock. */
export function cloudIn(clock: Clock, options: Record<string, string> = {}) {
  const embedded = new EmbeddedOpenStack({ clock, random: seededRandom(1) })
  const { seed } = embedded
  const defaults = {
    project: seed.project,
    pod_subnet: seed.podSubnet,
    service_subnet: embedded.serviceSubnet("10.96.0.0/12"),
    pod_security_groups: seed.podSecurityGroup,
    external_svc_net: seed.publicNetwork,
    ...options,
  }
  const lines = Object.entries(defaults).map(([name, value]) => `${name} = ${value}`)
  const configuration = readKuryrConf(`[neutron_defaults]\n${lines.join("\n")}\n`)
  const cloud = openStack({ access: embedded.access(), connect: embedded.connect, clock })
  return { embedded, cloud, configuration }
}
