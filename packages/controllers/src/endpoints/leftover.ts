import { joinKey } from "@pilothouse/api"
import { type Plan, plan } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"

/** Old leader elections keep their record in Endpoints that have no Service; deleting them would depose the leader. */
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader"

/** The Service is gone: so should be what is left of it. */
export function decideLeftover({ key, endpoints }: Observed): Plan {
  if (endpoints === undefined) return plan().nothing("there is no such Service, and no Endpoints of it")
  if (endpoints.metadata.annotations?.[leaderAnnotation] !== undefined)
    return plan().nothing("these Endpoints are the record of a leader election")
  if (endpoints.metadata.deletionTimestamp !== undefined) return plan().waitFor("the finalizers of the Endpoints")
  return plan().delete(endpoints, `the Service ${joinKey(key)} is gone`)
}
