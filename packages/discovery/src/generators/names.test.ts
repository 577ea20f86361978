import { expect, test } from "vitest"
import { clusterName, parseClusterName } from "./names.ts"

test.each([
  ["outbound|80||web.shop.svc.cluster.local", { port: 80, hostname: "web.shop.svc.cluster.local" }],
  [clusterName(8080, "web"), { port: 8080, hostname: "web" }],
  ["outbound|80|v1|web", undefined],
  ["inbound|80||web", undefined],
  ["outbound|http||web", undefined],
  ["outbound|80||", undefined],
  ["outbound|080||web", undefined],
  ["outbound|0||web", undefined],
  ["PassthroughCluster", undefined],
  ["", undefined],
])("the cluster %j", (name, expected) => {
  expect(parseClusterName(name)).toEqual(expected)
})
