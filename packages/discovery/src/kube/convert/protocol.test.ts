import { expect, test } from "vitest"
import { isHttp, protocolOf } from "./protocol.ts"

const byName: readonly (readonly [name: string, transport: string, protocol: string])[] = [
  ["http", "TCP", "HTTP"],
  ["http-web", "TCP", "HTTP"],
  ["HTTP-web", "TCP", "HTTP"],
  ["httptest", "TCP", "unsupported"],
  ["http2", "TCP", "HTTP2"],
  ["http2-inner", "TCP", "HTTP2"],
  ["https", "TCP", "HTTPS"],
  ["https-edge", "TCP", "HTTPS"],
  ["grpc", "TCP", "GRPC"],
  ["gRPC-orders", "TCP", "GRPC"],
  ["grpc-web", "TCP", "GRPC-Web"],
  ["grpc-web-front", "TCP", "GRPC-Web"],
  ["gRPC-Web-front", "TCP", "GRPC-Web"],
  ["grpc-website", "TCP", "GRPC-Web"],
  ["mongo", "TCP", "Mongo"],
  ["mongo-data", "TCP", "Mongo"],
  ["redis-cache", "TCP", "Redis"],
  ["mysql", "TCP", "MySQL"],
  ["tls-raw", "TCP", "TLS"],
  ["tcp", "TCP", "TCP"],
  ["tcp-data", "TCP", "TCP"],
  ["", "TCP", "unsupported"],
  ["constructor", "TCP", "unsupported"],
  ["http", "UDP", "UDP"],
  ["dns", "UDP", "UDP"],
]

for (const [name, protocol, expected] of byName)
  test(`a ${protocol} port named "${name}" speaks ${expected}`, () => expect(protocolOf({ name, port: 80, protocol })).toBe(expected))

const byAppProtocol: readonly (readonly [appProtocol: string, protocol: string])[] = [
  ["kubernetes.io/h2c", "HTTP2"],
  ["kubernetes.io/ws", "HTTP"],
  ["kubernetes.io/wss", "HTTPS"],
  ["redis", "Redis"],
  ["https", "HTTPS"],
  ["example.com/own", "unsupported"],
]

for (const [appProtocol, expected] of byAppProtocol)
  test(`appProtocol ${appProtocol} beats the name: ${expected}`, () =>
    expect(protocolOf({ name: "tcp", port: 80, appProtocol })).toBe(expected))

test("ports where the server speaks first are TCP when nothing else is declared", () => {
  const speak = [25, 53, 3306, 27_017, 8080].map((port) => protocolOf({ port, protocol: "TCP" }))
  expect(speak).toEqual(["TCP", "TCP", "TCP", "TCP", "unsupported"])
})

test("the rule of 2019: an unnamed port is TCP", () => {
  expect([protocolOf({ port: 80, name: "httptest" }, "TCP"), protocolOf({ port: 80, name: "http" }, "TCP")]).toEqual(["TCP", "HTTP"])
})

test("what counts as HTTP", () => {
  expect((["HTTP", "HTTP2", "GRPC", "GRPC-Web", "HTTPS", "TCP", "unsupported"] as const).map(isHttp)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})
