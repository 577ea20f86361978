import { expect, test } from "vitest"
import { DepartedHosts } from "./departed-hosts.ts"

const byName = { hostOf: ({ node }: { readonly node: string }) => node }
const byAddress = { hostOf: ({ hostIp }: { readonly hostIp: string }) => hostIp }
const nodeOf = (name: string, ...addresses: readonly string[]) => ({ name, addresses })

test("a host is missing as soon as no node has its name, and gone after the grace time", () => {
  const departed = new DepartedHosts({ driver: byName, grace: 1000 })
  expect(departed.look(["a", "b"], [nodeOf("a")], 0)).toEqual([])
  expect([departed.isMissing("a"), departed.isMissing("b"), departed.isMissing("c")]).toEqual([false, true, false])
  expect(departed.look(["a", "b"], [nodeOf("a")], 999)).toEqual([])
  expect([departed.look(["a", "b"], [nodeOf("a")], 1000), departed.isGone("a", 5000), departed.isGone("b", 1000)]).toEqual([
    ["b"],
    false,
    true,
  ])
})

test("one whose node comes back is there again, and has the whole time when it goes once more", () => {
  const departed = new DepartedHosts({ driver: byName, grace: 1000 })
  departed.look(["a"], [], 0)
  departed.look(["a"], [nodeOf("a")], 900)
  expect([departed.isMissing("a"), departed.look(["a"], [], 1000), departed.look(["a"], [], 1999), departed.look(["a"], [], 2000)]).toEqual(
    [false, [], [], ["a"]],
  )
})

test("where hosts are known by addresses, any address of a node will do", () => {
  const departed = new DepartedHosts({ driver: byAddress, grace: 0 })
  expect(departed.look(["10.0.0.1", "10.0.0.2", "10.0.0.3"], [nodeOf("a", "fd00::1", "10.0.0.1"), nodeOf("b", "10.0.0.2")], 0)).toEqual([
    "10.0.0.3",
  ])
})

test("while a node has not told its address nobody can say who is gone; where hosts are known by name nobody has to wait for it", () => {
  const nodes = [nodeOf("a", "10.0.0.1"), nodeOf("new")]
  expect(new DepartedHosts({ driver: byAddress, grace: 0 }).look(["10.0.0.9"], nodes, 0)).toEqual([])
  expect(new DepartedHosts({ driver: byName, grace: 0 }).look(["z"], nodes, 0)).toEqual(["z"])
})
