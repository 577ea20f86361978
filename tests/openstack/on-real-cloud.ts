import { type MakeHandlers, removeAll, startHandlers } from "@pilothouse/openstack/contracts/handlers"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { handlersCloud, realCloud } from "./real-cloud.ts"
import { untilSo } from "./until-so.ts"

/** A cluster in this process, in real time, with the handlers on the real cloud. No two have the same name. */
export const onRealCloud: MakeHandlers = async (setup) => {
  const place = handlersCloud(realCloud())
  const { cluster, subject } = await startHandlers({ time: "real", name: systemRandom().uuid(), cloud: () => place }, setup)
  return {
    ...subject,
    until: untilSo,
    pass: (milliseconds) => systemClock.sleep(milliseconds),
    async [Symbol.asyncDispose]() {
      await cluster.close()
      await removeAll(subject)
    },
  }
}
