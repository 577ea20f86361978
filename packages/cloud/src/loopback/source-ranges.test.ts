import type { Service } from "@pilothouse/api/core/v1"
import { systemClock } from "@pilothouse/seams/system"
import { describe, expect, test } from "vitest"
import { contractService } from "../contract/index.ts"
import { parseSourceRanges } from "./listener-spec.ts"
import { LoopbackCloud } from "./loopback-cloud.ts"
import { loopbackProvider } from "./provider.ts"
import { ask, echo } from "./testing/traffic.ts"

const annotation = "service.beta.kubernetes.io/load-balancer-source-ranges"
const signal = new AbortController().signal

function withRanges(ranges?: readonly string[], annotated?: string): Service {
  const { metadata, ...service } = contractService()
  const annotations = annotated === undefined ? undefined : { [annotation]: annotated }
  return {
    ...service,
    metadata: { ...metadata, annotations },
    spec: { ...service.spec, ports: [{ port: 18_081, protocol: "TCP" }], loadBalancerSourceRanges: ranges as string[] | undefined },
  }
}

describe("who may come in", () => {
  const rows: readonly [string, Service, number][] = [
    ["no ranges: every client", withRanges(), 0],
    ["the field", withRanges(["10.0.0.0/8", "fd00::/8"]), 2],
    ["the annotation, from before there was a field", withRanges(undefined, " 10.0.0.0/8, 192.168.0.0/16 "), 2],
    ["an empty annotation: every client", withRanges(undefined, " "), 0],
    ["the field wins", withRanges(["10.0.0.0/8"], "1.2.3.4/32,1.2.3.5/32"), 1],
  ]
  test.each(rows)("%s", (_what, service, count) => expect(parseSourceRanges(service)).toHaveLength(count))

  test.each(["10.0.0.0/8,anything", "10.0.0.7", "10.0.0.0/40"])("%s cannot be read", (text) => {
    expect(() => parseSourceRanges(withRanges(undefined, text))).toThrow("expected source ranges such as 10.0.0.0/24, found")
  })
})

test("an open balancer follows changes of its ranges; ranges that cannot be parsed admit no further client", async () => {
  await using one = await echo("one")
  await using cloud = new LoopbackCloud({ clock: systemClock })
  const balancers = loopbackProvider({ cloud }).loadBalancers!
  const { status } = await balancers.ensure(withRanges(["127.0.0.2/32"]), [], signal)
  const address = status.ingress?.[0]?.ip ?? ""
  cloud.setTargets("kubernetes", "default/web", new Map([["TCP 18081", [one.target]]]))
  const from = (client: string) => ask(address, 18_081, "a", client).catch(({ code }: { readonly code: string }) => code)
  expect([await from("127.0.0.2"), await from("127.0.0.3")]).toEqual(["one:a", "ECONNRESET"])
  await expect(balancers.ensure(withRanges(["127.0.0.2"]), [], signal)).rejects.toMatchObject({ code: "CLOUD", retryable: false })
  expect([await from("127.0.0.2"), await from("127.0.0.3")]).toEqual(["one:a", "ECONNRESET"])
  expect(await balancers.ensure(withRanges(undefined, "127.0.0.3/32"), [], signal)).toMatchObject({ changed: true })
  expect([await from("127.0.0.2"), await from("127.0.0.3")]).toEqual(["ECONNRESET", "one:a"])
})
