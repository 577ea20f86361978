import { Command } from "commander"
import { expect, test } from "vitest"
import { addServeFlags, type ServeFlags } from "./serve-flags.ts"

function parsed(...words: readonly string[]): ServeFlags {
  const command = addServeFlags(new Command("discovery").exitOverride())
  return command.parse(words, { from: "user" }).opts<ServeFlags>()
}

test("without flags it reads what kubectl would, and listens on Istio's ports of this machine", () => {
  const ports = { bindAddress: "127.0.0.1", port: 15_010, debugPort: 15_014 }
  expect(parsed()).toEqual({ ...ports, syncTimeout: 30_000, acrossNetworks: "mutual-tls" })
})

test("flags set what is read, how it is named and how much there may be", () => {
  const words = "--cluster-id east west --watch-namespace shop --domain-suffix x.org --trust-domain t --network n --max-streams 5"
  expect(parsed(...words.split(" "), "--max-streams-per-connection", "6", "--max-connections", "7")).toMatchObject({
    clusterId: ["east", "west"],
    watchNamespace: ["shop"],
    domainSuffix: "x.org",
    trustDomain: "t",
    network: "n",
    maxStreams: 5,
    maxStreamsPerConnection: 6,
    maxConnections: 7,
  })
  expect(parsed("--sync-timeout", "0s", "--mesh-networks-config-map", "istio-system/istio", "--resync", "1m")).toMatchObject({
    syncTimeout: 0,
    meshNetworksConfigMap: "istio-system/istio",
    resync: 60_000,
  })
})

test("a default that is a time is shown as one", () => {
  const help = addServeFlags(new Command("discovery")).helpInformation()
  expect(help.replaceAll(/\s+/g, " ")).toContain("0s is for ever (default: 30s)")
})

test.each(["999ms", "1ns", "0s", "never"])("--resource-ttl %s is refused: it would be all that the server does", (ttl) => {
  expect(() => parsed("--resource-ttl", ttl)).toThrow(/--resource-ttl/)
  expect(parsed("--resource-ttl", "1s").resourceTtl).toBe(1_000)
})

test.each([
  ["--debug-port", "65536"],
  ["--max-streams", "0"],
  ["--max-connections", "x"],
  ["--sync-timeout", "soon"],
  ["--mesh-networks-config-map", "istio"],
  ["--endpoints-from", "pods"],
])("%s %s is refused", (flag, value) => {
  expect(() => parsed(flag, value)).toThrow(flag)
})
