import type { Controller } from "@pilothouse/runtime"
import { cronJobController } from "./cronjob/controller.ts"
import { deploymentController } from "./deployment/controller.ts"
import { endpointsController } from "./endpoints/controller.ts"
import { endpointSliceController } from "./endpointslice/controller.ts"
import { garbageCollectorController } from "./garbage-collector/controller.ts"
import { jobController } from "./job/controller.ts"
import { namespaceController } from "./namespace/controller.ts"
import { podGcController } from "./pod-gc/controller.ts"
import { replicaSetController } from "./replicaset/controller.ts"
import { replicationControllerController } from "./replicationcontroller/controller.ts"
import { rootCaPublisherController } from "./root-ca-publisher/controller.ts"
import { serviceAccountController } from "./service-account/controller.ts"
import { ttlAfterFinishedController } from "./ttl-after-finished/controller.ts"

export interface ControllerEntry {
  /** Upstream's name, as in --controllers. */
  readonly name: string
  readonly create: () => Controller
}

/** Every loop of the controller manager that is here. */
export const controllers: readonly ControllerEntry[] = [
  { name: "deployment-controller", create: deploymentController },
  { name: "replicaset-controller", create: replicaSetController },
  { name: "replicationcontroller-controller", create: replicationControllerController },
  { name: "endpoints-controller", create: endpointsController },
  { name: "endpointslice-controller", create: endpointSliceController },
  { name: "namespace-controller", create: namespaceController },
  { name: "pod-garbage-collector-controller", create: podGcController },
  { name: "job-controller", create: jobController },
  { name: "cronjob-controller", create: cronJobController },
  { name: "ttl-after-finished-controller", create: ttlAfterFinishedController },
  { name: "serviceaccount-controller", create: serviceAccountController },
  { name: "root-ca-certificate-publisher-controller", create: rootCaPublisherController },
  { name: "garbage-collector-controller", create: garbageCollectorController },
]
