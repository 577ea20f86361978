import type { Group, Tally } from "../real/tally.ts"
import { Discovery, endpoint, service } from "./discovery.ts"
import { GrpcBackend } from "./grpc-backend.ts"
import { GrpcClient } from "./grpc-client.ts"
import { pause, until } from "./until.ts"

interface World {
  discovery: Discovery
  readonly client: GrpcClient
  readonly one: GrpcBackend
  readonly two: GrpcBackend
}

const host = "who.shop.svc.cluster.local"
const target = `${host}:8080`
const who = () => service("who", { ports: [{ name: "grpc", port: 8080, protocol: "GRPC" }] })
const pod = (backend: GrpcBackend, rest = {}) => endpoint(backend.port, { portName: "grpc", ...rest })

/** A real gRPC client without a proxy on our server. */
export async function grpcSuite(tally: Tally, name: string, program: string, args: readonly string[]): Promise<void> {
  await using one = await new GrpcBackend("one").start()
  await using two = await new GrpcBackend("two").start()
  const discovery = await new Discovery().start()
  discovery.registry.put(who())
  discovery.registry.putEndpoints(host, [pod(one)])
  await using client = new GrpcClient(program, args, discovery.port)
  const world: World = { discovery, client, one, two }
  try {
    for (const [title, run] of Object.entries(cases)) await tally.group(`${name}: ${title}`, (group) => run(group, world))
  } finally {
    await world.discovery[Symbol.asyncDispose]()
  }
}

const cases: Readonly<Record<string, (group: Group, world: World) => Promise<void>>> = {
  "every way to write the name": async (group, { client }) => {
    for (const name of [target, "who.shop:8080", "who:8080", "who.shop.svc:8080", host]) {
      group.case(name, differs(await client.calls(name, 3), { one: 3 }))
    }
  },
  "an ExternalName that is an alias": async (group, { client, discovery }) => {
    discovery.registry.put(service("alias", { resolution: "dns", externalName: host, aliasOf: host, ports: [] }))
    for (const name of ["alias.shop:8080", "alias"]) group.case(name, differs(await client.calls(name, 3), { one: 3 }))
  },
  "endpoints change while calls go on": async (group, { client, discovery, one, two }) => {
    const calls = client.calls(target, 500)
    const ended = calls.then(() => true)
    // As a roll-out does it: the new one comes before the old one goes, and each step once the client has the last.
    const steps = [[pod(one), pod(two)], [pod(two)], [pod(two), pod(one)], [pod(one)]]
    for (let turn = 0; !(await Promise.race([ended, pause(20).then(() => false)])); turn++) {
      discovery.registry.putEndpoints(host, steps[turn % steps.length]!)
      await until(
        "the client to accept",
        () => [...discovery.hub.sessions].every(({ watches }) => watches.endpoint.sent === watches.endpoint.acked),
        15_000,
      )
    }
    const answers = await calls
    group.case("no call failed", onlyOf(answers, ["one", "two"]))
    group.case("both had some", "one" in answers && "two" in answers ? undefined : JSON.stringify(answers))
  },
  "two endpoints share": async (group, { client, discovery, one, two }) => {
    discovery.registry.putEndpoints(host, [pod(one), pod(two)])
    await pause(200)
    await client.calls(target, 10)
    group.case("evenly", differs(await client.calls(target, 100), { one: 50, two: 50 }))
  },
  "a draining endpoint gets nothing": async (group, { client, discovery, one, two }) => {
    discovery.registry.putEndpoints(host, [pod(one, { health: "draining" }), pod(two)])
    await settled(client, "two")
    group.case("all to the other", differs(await client.calls(target, 50), { two: 50 }))
  },
  "the nearest first": async (group, { client, discovery, one, two }) => {
    discovery.registry.put({ ...who(), distribution: "same-zone" })
    discovery.registry.putEndpoints(host, [pod(one), pod(two, { locality: { region: "r1", zone: "far", subzone: "" } })])
    await settled(client, "one")
    group.case("all to the same zone", differs(await client.calls(target, 50), { one: 50 }))
    discovery.registry.put(who())
    discovery.registry.putEndpoints(host, [pod(one)])
  },
  "a service that goes and comes back": async (group, { client, discovery, two }) => {
    discovery.registry.remove(host)
    await pause(100)
    discovery.registry.put(who())
    discovery.registry.putEndpoints(host, [pod(two)])
    await settled(client, "two")
    group.case("is called again", differs(await client.calls(target, 20), { two: 20 }))
  },
  "a bad endpoint is refused, and the last good one serves": async (group, { client, discovery, one }) => {
    discovery.registry.putEndpoints(host, [pod(one, { addresses: ["not-an-address"] })])
    await client.calls(target, 5)
    await until("a refusal", () => discovery.metrics.value("pilot_xds_eds_reject") > 0)
    group.case("the last good one serves", differs(await client.calls(target, 20), { two: 20 }))
    discovery.registry.putEndpoints(host, [pod(one)])
    await settled(client, "one")
    group.case("a good one is taken", differs(await client.calls(target, 20), { one: 20 }))
  },
  "the server restarts": async (group, world) => {
    const { port, registry } = world.discovery
    await world.discovery[Symbol.asyncDispose]()
    group.case("calls go on without it", differs(await world.client.calls(target, 20), { one: 20 }))
    world.discovery = await new Discovery({ registry }).start(port)
    registry.putEndpoints(host, [pod(world.two)])
    await settled(world.client, "two", 10_000)
    group.case("and follow it when it is back", differs(await world.client.calls(target, 20), { two: 20 }))
  },
  "nothing else was refused": async (group, { discovery }) => {
    const refused = ["cds", "lds", "rds", "eds"].filter((kind) => discovery.metrics.value(`pilot_xds_${kind}_reject`) > 0)
    group.case("since the restart", refused.length === 0 ? undefined : refused.join())
  },
}

async function settled(client: GrpcClient, name: string, limit = 3_000): Promise<void> {
  await until(`calls to go to ${name}`, async () => Object.keys(await client.calls(target, 5)).join() === name, limit)
}

function differs(found: Readonly<Record<string, number>>, expected: Readonly<Record<string, number>>): string | undefined {
  const same = Object.keys({ ...found, ...expected }).every((key) => found[key] === expected[key])
  return same ? undefined : `expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`
}

function onlyOf(answers: Readonly<Record<string, number>>, names: readonly string[]): string | undefined {
  const other = Object.keys(answers).filter((answer) => !names.includes(answer))
  return other.length === 0 ? undefined : `${other.map((answer) => `${answers[answer]} × ${answer}`).join(", ")}`
}
