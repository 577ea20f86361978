import { controllerOf, formatLabelSelector, selectorOf } from "@pilothouse/api"
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "@pilothouse/api/apps/v1"
import { containerColumns, labelsText, none, selectorText } from "../columns/cells.ts"
import { ageColumn, count, integer, nameColumn, text, wide } from "../columns/column.ts"
import { type Printer, printer } from "../columns/printer.ts"

const deployment = printer<Deployment>(
  nameColumn,
  text("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
  count("Up-to-date", ({ status }) => status?.updatedReplicas),
  count("Available", ({ status }) => status?.availableReplicas),
  ageColumn,
  ...containerColumns<Deployment>(({ spec }) => spec?.template?.spec?.containers),
  wide(text("Selector", ({ spec }) => formatLabelSelector(selectorOf(spec?.selector)))),
)

const replicaSet = printer<ReplicaSet>(
  nameColumn,
  integer("Desired", ({ spec }) => spec?.replicas),
  integer("Current", ({ status }) => status?.replicas),
  integer("Ready", ({ status }) => status?.readyReplicas),
  ageColumn,
  ...containerColumns<ReplicaSet>(({ spec }) => spec?.template?.spec?.containers),
  wide(text("Selector", ({ spec }) => selectorText(spec?.selector))),
)

const statefulSet = printer<StatefulSet>(
  nameColumn,
  text("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
  ageColumn,
  ...containerColumns<StatefulSet>(({ spec }) => spec?.template?.spec?.containers),
)

const daemonSet = printer<DaemonSet>(
  nameColumn,
  integer("Desired", ({ status }) => status?.desiredNumberScheduled),
  integer("Current", ({ status }) => status?.currentNumberScheduled),
  integer("Ready", ({ status }) => status?.numberReady),
  integer("Up-to-date", ({ status }) => status?.updatedNumberScheduled),
  integer("Available", ({ status }) => status?.numberAvailable),
  text("Node Selector", ({ spec }) => labelsText(spec?.template?.spec?.nodeSelector)),
  ageColumn,
  ...containerColumns<DaemonSet>(({ spec }) => spec?.template?.spec?.containers),
  wide(text("Selector", ({ spec }) => selectorText(spec?.selector))),
)

const controllerRevision = printer<ControllerRevision>(
  nameColumn,
  text("Controller", controllerText),
  count("Revision", ({ revision }) => revision),
  ageColumn,
)

/** "daemonset.apps/web" */
function controllerText(revision: ControllerRevision): string {
  const owner = controllerOf(revision)
  if (owner === undefined) return none
  const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : ""
  return `${owner.kind}${group}`.toLowerCase().concat("/", owner.name)
}

export const appsPrinters: Readonly<Record<string, Printer<never>>> = {
  "apps/ControllerRevision": controllerRevision,
  "apps/DaemonSet": daemonSet,
  "apps/Deployment": deployment,
  "apps/ReplicaSet": replicaSet,
  "apps/StatefulSet": statefulSet,
}
