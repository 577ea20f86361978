import { type Pod, pods } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import {
  changes,
  type HandlersSubject,
  listPorts,
  type MakeHandlers,
  podIn,
  removePod,
  served,
  untilActive,
  vifOn,
} from "./testing/subject.ts"

const only = { kubernetes: { enabled_handlers: "vif" } }

/** What pods get from whatever cloud there is. */
export function vifHandlerContract(name: string, make: MakeHandlers): void {
  describe(`pods as ports: ${name}`, () => {
    test("a pod with a node gets a port named after it, bound to the node, and an active VIF; one create, and it goes with the pod", async () => {
      await using run = await make({ sections: only })
      await run.cluster.apply(podIn("web-1"))
      await untilActive(run, "web-1")
      const { uid } = (await run.cluster.client.get<Pod>(pods, `${served}/web-1`)).metadata
      const [port] = await listPorts(run)
      expect(port).toMatchObject({
        name: "web-1",
        device_id: uid,
        "binding:host_id": "node1",
        device_owner: "compute:kuryr",
        status: "ACTIVE",
      })
      expect((await vifOn(run, "web-1"))?.network?.subnets?.[0]?.ips).toEqual([{ address: port?.fixed_ips[0]?.ip_address }])
      expect(changes(run, "/v2.0/ports")).toEqual(["POST /v2.0/ports"])
      await removePod(run, "web-1")
      await noPorts(run)
    })

    test("pods on the network of their node and pods without a node are left alone", async () => {
      await using run = await make({ sections: only })
      await run.cluster.apply(podIn("host", { hostNetwork: true }))
      await run.cluster.apply(podIn("waiting", { nodeName: undefined }))
      await run.cluster.apply(podIn("web-1"))
      await untilActive(run, "web-1")
      expect((await listPorts(run)).map((port) => port.name)).toEqual(["web-1"])
    })

    test("a pod that finished gives its port back", async () => {
      await using run = await make({ sections: only })
      await run.cluster.apply(podIn("job"))
      await untilActive(run, "job")
      const ref = { apiVersion: "v1", kind: "Pod", metadata: { namespace: served, name: "job" } }
      await run.cluster.client.patch(pods, ref, { status: { phase: "Succeeded" } }, { subresource: "status" })
      await noPorts(run)
      await run.until(async () => (await vifOn(run, "job")) === undefined)
    })

    test("deleted and created again under the same name: another port, and the old one is gone", async () => {
      await using run = await make({ sections: only })
      await run.cluster.apply(podIn("db-0"))
      await untilActive(run, "db-0")
      const [old] = await listPorts(run)
      await removePod(run, "db-0")
      await run.cluster.apply(podIn("db-0"))
      await untilActive(run, "db-0")
      await run.until(async () => (await listPorts(run)).length === 1)
      expect((await listPorts(run))[0]?.id).not.toBe(old?.id)
    })

    test("after a restart pods keep their ports, and give them back when they go", async () => {
      await using run = await make({ sections: only })
      await run.cluster.apply(podIn("web-1"))
      await untilActive(run, "web-1")
      const [before] = await listPorts(run)
      await run.cluster.restartControllers()
      await run.cluster.apply(podIn("web-2"))
      await untilActive(run, "web-2")
      expect((await listPorts(run)).map(({ id }) => id)).toContain(before?.id)
      await removePod(run, "web-1")
      await removePod(run, "web-2")
      await noPorts(run)
    })
  })
}

function noPorts(run: HandlersSubject): Promise<void> {
  return run.until(async () => (await listPorts(run)).length === 0)
}
