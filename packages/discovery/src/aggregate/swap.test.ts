import { expect, test } from "vitest"
import { aggregateFixture, filled, web } from "../testing/aggregate-fixture.ts"
import { kubeService, kubeSlice } from "../testing/kube-objects.ts"

test("a swap leaves no gap: the old registry answers until the new one was read", async () => {
  await using f = aggregateFixture()
  const kube = filled(...web(1))
  f.all.add(f.of("east", kube))
  await f.run()
  f.told()
  const slow = filled(...web(1))
  slow.down = true
  f.all.swap(f.of("east", slow))
  await f.clock.advance("1m")
  expect([f.endpoints(), f.told()]).toEqual([["10.1.0.1:8080 healthy"], []])
  kube.put(kubeSlice("shop/web-1", { endpoints: [] }))
  await f.clock.settle()
  expect([f.endpoints(), f.told()]).toEqual([[], ["endpoints web.shop fewer in east"]])
})

test("a swap that changes nothing tells nothing, and leaves nothing twice", async () => {
  await using f = aggregateFixture()
  f.all.add(f.of("east", filled(...web(1))))
  await f.run()
  f.told()
  f.all.swap(f.of("east", filled(...web(1))))
  await f.clock.settle()
  expect([f.told(), f.endpoints(), f.all.clusters]).toEqual([[], ["10.1.0.1:8080 healthy"], ["east"]])
})

test("a registry that was swapped out ends, and notifies no more", async () => {
  await using f = aggregateFixture()
  const old = f.of("east", filled(...web(1)))
  const ended = Promise.withResolvers<void>()
  const run = old.run.bind(old)
  old.run = async (signal) => {
    await run(signal)
    ended.resolve()
  }
  f.all.add(old)
  await f.run()
  f.all.swap(f.of("east", filled(...web(1))))
  await f.clock.settle()
  await f.clock.run(ended.promise)
  f.told()
  old.state.subscribers.configUpdate("from the dead")
  expect(f.told()).toEqual([])
})

test("a swap notifies of what vanished and of what is new", async () => {
  await using f = aggregateFixture()
  const old = filled(...web(1), kubeService("shop/old"))
  f.all.add(f.of("east", old))
  await f.run()
  f.told()
  f.all.swap(f.of("east", filled(...web(2), kubeService("shop/new"))))
  await f.clock.settle()
  expect([...f.told()].sort()).toEqual([
    "endpoints web.shop fewer in east",
    "service new.shop added",
    "service old.shop deleted",
    "service web.shop updated",
  ])
  old.put(kubeService("shop/late"))
  await f.clock.settle()
  expect([f.told(), f.all.getService("late.shop.svc.cluster.local")]).toEqual([[], undefined])
})

test("a swap that is swapped again before it was read: only the last one counts", async () => {
  await using f = aggregateFixture()
  f.all.add(f.of("east", filled(...web(1))))
  await f.run()
  const never = filled(...web(2))
  never.down = true
  f.all.swap(f.of("east", never))
  f.all.swap(f.of("east", filled(...web(3))))
  await f.clock.settle()
  never.down = false
  await f.clock.advance("5m")
  expect(f.endpoints()).toEqual(["10.3.0.1:8080 healthy"])
})

test("a swap whose new registry only gave up waiting threw out the one that worked; now it waits until the new one was read", async () => {
  await using f = aggregateFixture()
  const kube = filled(...web(1))
  f.all.add(f.of("east", kube))
  await f.run()
  f.told()
  const wrong = filled(...web(2))
  wrong.down = true
  f.all.swap(f.of("east", wrong, { syncTimeout: "30s" }))
  await f.clock.advance("5m")
  expect([f.endpoints(), f.told()]).toEqual([["10.1.0.1:8080 healthy"], []])
  kube.put(kubeService("shop/api"))
  await f.clock.settle()
  expect(f.told()).toEqual(["service api.shop added"])
  wrong.down = false
  wrong.cutWatches()
  await f.clock.advance("10m")
  expect([f.endpoints(), f.all.clusters]).toEqual([["10.2.0.1:8080 healthy"], ["east"]])
  expect([...f.told()].sort()).toEqual(["endpoints web.shop fewer in east", "service api.shop deleted", "service web.shop updated"])
})

test("a swap that does not sync does not delay the first state of the other clusters", async () => {
  await using f = aggregateFixture()
  const [never, west] = [filled(...web(1)), filled(...web(2))]
  never.down = true
  west.down = true
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", west, { syncTimeout: "30s" }))
  await f.run()
  f.all.swap(f.of("east", never))
  await f.clock.advance("30s")
  expect([f.all.synced, f.endpoints()]).toEqual([true, ["10.1.0.1:8080 healthy"]])
})
