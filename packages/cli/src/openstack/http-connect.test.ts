import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { type CloudAccess, EmbeddedOpenStack, openStack, serveOpenStack } from "@pilothouse/openstack"
import { seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { httpConnect } from "./http-connect.ts"

/** An address of this machine without a listener. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return `127.0.0.1:${port}`
}

function cloudAt(access: CloudAccess) {
  const http = httpConnect(access, { clock: systemClock, files: virtualFiles(new VirtualClock()) })
  const cloud = openStack({ access, connect: http.connect, clock: systemClock, retries: 0 })
  return { cloud, [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]() }
}

const embedded = () => new EmbeddedOpenStack({ clock: systemClock, random: seededRandom(1) })

test("a Keystone that is away is called so, with the whole address that was asked", async () => {
  const host = await deadAddress()
  await using opened = cloudAt({ ...embedded().access(), authUrl: `http://${host}/identity` })
  await expect(opened.cloud.keystone.token()).rejects.toMatchObject({
    code: "CONNECTION_LOST",
    message: `POST http://${host}/identity/v3/auth/tokens failed: nothing listens there; check that Keystone runs, and the port in auth_url (connect ECONNREFUSED ${host})`,
  })
})

test.each([
  ["Neutron", "network", "/v2.0/subnets/x"],
  ["Octavia", "load-balancer", "/v2/lbaas/loadbalancers/x"],
] as const)("%s: away, it is called so, with where its address is from", async (name, type, path) => {
  const host = await deadAddress()
  const there = embedded()
  await using served = await serveOpenStack(there)
  await using opened = cloudAt({ ...there.access(), authUrl: served.authUrl, endpoints: { [type]: `http://${host}/${type}` } })
  const { neutron, octavia } = opened.cloud
  const asked = type === "network" ? neutron.subnets.find("x") : octavia.loadBalancers.find("x")
  await expect(asked).rejects.toThrow(
    `GET http://${host}/${type}${path} failed: nothing listens there; check that ${name} runs, and the port in its address (catalog, or ${type.replace("-", "_")}_endpoint_override)`,
  )
})

test("an address that leads to something else than Keystone is reported, with what was asked", async () => {
  const there = embedded()
  await using served = await serveOpenStack(there)
  const authUrl = `${served.authUrl}/nowhere`
  await using opened = cloudAt({ ...there.access(), authUrl })
  await expect(opened.cloud.keystone.token()).rejects.toThrow(
    `POST ${authUrl}/v3/auth/tokens answered 404: auth_url probably does not lead to a Keystone v3`,
  )
})

test("an invalid address fails the caller that asks there, and not the one that closes", async () => {
  const http = httpConnect({}, { clock: systemClock, files: virtualFiles(new VirtualClock()) })
  await expect(http.connect("http://[::1")({ verb: "GET", path: "/", query: {}, headers: {} })).rejects.toThrow()
  await expect(http[Symbol.asyncDispose]()).resolves.toBeUndefined()
})
