import { describe, expect, test } from "vitest"
import { testService } from "../testing/samples.ts"
import { aliasWay, serviceBehind } from "./alias.ts"

const host = (name: string) => `${name}.shop.svc.cluster.local`
const alias = (name: string, to: string) => testService(name, { ports: [], resolution: "dns", externalName: to, aliasOf: to })
const services = [
  testService("web"),
  alias("old", host("web")),
  alias("older", host("old")),
  alias("out", "api.example.com"),
  alias("self", host("self")),
  alias("a", host("b")),
  alias("b", host("a")),
  alias("into", host("a")),
]
const find = (hostname: string) => services.find((service) => service.hostname === hostname)

describe("where a name leads, and who is there", () => {
  test.each([
    ["web", undefined, "web"],
    ["old", { hosts: [host("web")], isCircle: false }, "web"],
    ["older", { hosts: [host("old"), host("web")], isCircle: false }, "web"],
    ["out", { hosts: ["api.example.com"], isCircle: false }, undefined],
    ["self", { hosts: [], isCircle: true }, undefined],
    ["a", { hosts: [host("b")], isCircle: true }, undefined],
    ["into", { hosts: [host("a"), host("b")], isCircle: true }, undefined],
  ])("%s", (name, way, behind) => {
    const service = find(host(name))!
    expect([aliasWay(service, find), serviceBehind(service, find)?.name]).toEqual([way, behind])
  })
})
