import { describe, expect, test } from "vitest"
import { bindOrNext, isAddressMissing } from "./bind.ts"
import { ingressOf, mappedBefore } from "./mapped-port.ts"

/** Binds what is not in the way; others fail with that code. */
function host(refused: Readonly<Record<number, string>>) {
  const tried: number[] = []
  const bind = async (port: number) => {
    tried.push(port)
    if (refused[port] !== undefined) throw Object.assign(new Error("refused"), { code: refused[port] })
    return port
  }
  return { tried, bind }
}

describe("a port that cannot be had", () => {
  test.each([
    ["it is for others only", [80], { 80: "EACCES" }, 8080],
    ["so it is elsewhere", [443], { 443: "EPERM" }, 8443],
    ["another process has it, and the next one too", [80], { 80: "EADDRINUSE", 8080: "EADDRINUSE" }, 8081],
    ["there is none so high", [60_000], { 60_000: "EADDRINUSE" }, 52_000],
    ["the last one is followed by the first that is free for all", [57_535], { 57_535: "EACCES", 65_535: "EACCES" }, 1025],
    ["it had another one before", [9000, 80], {}, 9000],
    ["that is taken now", [9000, 80], { 9000: "EADDRINUSE" }, 80],
  ] as const)("%s", async (_what, requested, refused, expected) => {
    expect(await bindOrNext(requested, host(refused).bind)).toBe(expected)
  })

  test("an address that is missing is an error at once: no port would help", async () => {
    const { bind, tried } = host({ 80: "EADDRNOTAVAIL" })
    const error = await bindOrNext([80], bind).catch((cause: unknown) => cause)
    expect([isAddressMissing(error), tried]).toEqual([true, [80]])
  })

  test("nor is anything else tried again", async () => {
    const { bind, tried } = host({ 80: "EMFILE" })
    await expect(bindOrNext([80], bind)).rejects.toMatchObject({ code: "EMFILE" })
    expect(tried).toEqual([80])
  })

  test("fifty others are tried", async () => {
    const { bind, tried } = host(Object.fromEntries(Array.from({ length: 65_536 }, (_, port) => [port, "EADDRINUSE"])))
    await expect(bindOrNext([80], bind)).rejects.toThrow("expected to bind port 80 or one of 50 in its place, found none free")
    expect(tried).toHaveLength(51)
  })
})

describe("where a port was mapped to", () => {
  const ports = [
    { address: "127.0.0.1", port: 53, protocol: "TCP" as const, bound: 53 },
    { address: "127.0.0.1", port: 53, protocol: "UDP" as const, bound: 8053 },
  ]
  const ingress = ingressOf("127.0.0.1", ports)

  test("is shown, beside the ports that are as they should be", () => {
    expect(ingress.ports).toEqual([
      { port: 53, protocol: "TCP" },
      { port: 53, protocol: "UDP", error: "pilothouse.dev/PortMappedTo8053" },
    ])
    expect(ingressOf("127.0.0.1", ports.slice(0, 1))).toEqual({ ip: "127.0.0.1", ipMode: "VIP" })
  })

  test("is found again, by port and protocol", () => {
    const service = { apiVersion: "v1", kind: "Service", metadata: {}, status: { loadBalancer: { ingress: [ingress] } } } as const
    expect(ports.map((port) => mappedBefore(service as never, port))).toEqual([undefined, 8053])
    expect(mappedBefore(service as never, { ...ports[1]!, address: "::1" })).toBeUndefined()
  })
})
