import type { KubeObject } from "@pilothouse/api"
import { validatingAdmissionPolicies } from "@pilothouse/api/admissionregistration/v1"
import { configMaps, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { clusterRoles } from "@pilothouse/api/rbac/v1"
import { storageVersionMigrations } from "@pilothouse/api/storagemigration/v1beta1"
import type { Cluster } from "@pilothouse/testing"
import { isGone } from "./refuse-for-ever.ts"
import type { RefusedWrite } from "./refused-write.ts"

const admissionPolicy = (name: string): KubeObject =>
  ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }] },
      validations: [{ expression: "true" }],
    },
  }) as KubeObject
const annotations = { "kubernetes.io/service-account.name": "robot" }
const token = (place: string, labels?: Record<string, string>): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/service-account-token",
    metadata: { name: "token", namespace: place, annotations, ...(labels && { labels }) },
  }) as KubeObject
const robot = (place: string): KubeObject => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: place } })
const filled = async (running: Cluster, place: string) => (await running.client.get(secrets, `${place}/token`)).data?.token !== undefined
const tokensController = {
  controller: "serviceaccount-token-controller",
  cluster: { controllers: ["serviceaccount-token"], nodes: 0, needs: { rootCa: "CA" } },
  touch: async (running: Cluster, namespace: string) => {
    const touched = { metadata: { labels: { touched: "yes" } } }
    for (const one of await running.list(secrets, { namespace })) await running.client.patch(secrets, one, touched)
    for (const one of await running.list(serviceAccounts, { namespace })) await running.client.patch(serviceAccounts, one, touched)
  },
}
const forAll = { ...tokensController.cluster, settings: { "service-account-token-for-every-account": true } }
const cleaner = {
  controller: "legacy-serviceaccount-token-cleaner-controller",
  cluster: {
    controllers: ["legacy-serviceaccount-token-cleaner"],
    nodes: 0,
    settings: { "legacy-service-account-token-clean-up-period": "1s" },
  },
  /** It looks when it begins, and once a day. */
  changeOnce: (running: Cluster) => running.restartControllers(),
}
const tracking = "kube-system/kube-apiserver-legacy-service-account-token-tracking"
const trackSince = async (running: Cluster, place: string) => {
  await running.client.patch(serviceAccounts, `${place}/robot`, { secrets: [{ name: "token" }] })
  await running.client.patch(configMaps, tracking, { data: { since: "2025-01-01" } })
}
const ca = {
  controller: "root-ca-certificate-publisher-controller",
  cluster: { controllers: ["root-ca-certificate-publisher"], nodes: 0, needs: { rootCa: "CA" } },
}
const published = async (running: Cluster, place: string) =>
  running.client.get(configMaps, `${place}/kube-root-ca.crt`).then(
    ({ data }) => data?.["ca.crt"] === "CA",
    () => false,
  )

const clusterRole = (name: string, more: object): KubeObject =>
  ({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, ...more }) as KubeObject
const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }]

export const refusedAccounts: readonly RefusedWrite[] = [
  {
    controller: "token-cleaner-controller",
    cluster: { controllers: ["tokencleaner"], nodes: 0 },
    write: "DELETE secrets",
    given: (place) => [
      {
        apiVersion: "v1",
        kind: "Secret",
        type: "bootstrap.kubernetes.io/token",
        metadata: { name: `bootstrap-token-${place}`, namespace: "kube-system" },
        stringData: { expiration: "2020-01-01T00:00:00Z" },
      } as KubeObject,
    ],
    done: (running, place) => isGone(running.client.get(secrets, `kube-system/bootstrap-token-${place}`)),
  },
  {
    controller: "clusterrole-aggregation-controller",
    cluster: { controllers: ["clusterrole-aggregation"], nodes: 0 },
    write: "PATCH clusterroles",
    given: (place) => [
      clusterRole(`part-${place}`, { metadata: { name: `part-${place}`, labels: { whole: place } }, rules }),
      clusterRole(`whole-${place}`, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { whole: place } }] } }),
    ],
    done: async (running, place) => (await running.client.get(clusterRoles, `whole-${place}`)).rules?.length === 1,
  },
  {
    controller: "validatingadmissionpolicy-status-controller",
    cluster: { controllers: ["validatingadmissionpolicy-status-controller"], nodes: 0 },
    write: "PATCH validatingadmissionpolicies/status",
    given: (place) => [admissionPolicy(place)],
    done: async (running, place) => (await running.client.get(validatingAdmissionPolicies, place)).status?.observedGeneration === 1,
  },
  {
    controller: "storage-version-migrator-controller",
    cluster: { controllers: ["storage-version-migrator-controller"], enabledVersions: ["storagemigration.k8s.io/v1beta1"], nodes: 0 },
    write: "PUT storageversionmigrations/status",
    given: (place) => [
      {
        apiVersion: "storagemigration.k8s.io/v1beta1",
        kind: "StorageVersionMigration",
        metadata: { name: place },
        spec: { resource: { group: "", resource: place } },
      } as KubeObject,
    ],
    done: async (running, place) => {
      const { status } = await running.client.get(storageVersionMigrations, place)
      return status?.conditions !== undefined
    },
  },
  {
    controller: "serviceaccount-controller",
    cluster: { controllers: ["serviceaccount"], nodes: 0 },
    write: "POST serviceaccounts",
    given: () => [],
    done: async (running, place) => !(await isGone(running.client.get(serviceAccounts, `${place}/default`))),
  },
  { ...tokensController, write: "PUT secrets", given: (place) => [robot(place), token(place)], done: filled },
  {
    ...tokensController,
    write: "DELETE secrets",
    given: (place) => [robot(place), token(place)],
    change: (running, place) => running.client.delete(serviceAccounts, `${place}/robot`),
    done: (running, place) => isGone(running.client.get(secrets, `${place}/token`)),
  },
  {
    ...tokensController,
    cluster: forAll,
    write: "POST secrets",
    given: (place) => [robot(place)],
    done: async (running, namespace) => (await running.list(secrets, { namespace })).length > 0,
  },
  {
    ...tokensController,
    cluster: forAll,
    write: "PUT serviceaccounts",
    given: (place) => [robot(place)],
    done: async (running, place) => ((await running.client.get(serviceAccounts, `${place}/robot`)).secrets ?? []).length === 1,
  },
  {
    ...cleaner,
    write: "PATCH secrets",
    given: (place) => [robot(place), token(place)],
    change: trackSince,
    done: async (running, place) =>
      (await running.client.get(secrets, `${place}/token`)).metadata.labels?.["kubernetes.io/legacy-token-invalid-since"] !== undefined,
  },
  {
    ...cleaner,
    write: "DELETE secrets",
    given: (place) => [robot(place), token(place, { "kubernetes.io/legacy-token-invalid-since": "2025-06-01" })],
    change: trackSince,
    done: (running, place) => isGone(running.client.get(secrets, `${place}/token`)),
  },
  { ...ca, write: "POST configmaps", given: () => [], done: published },
  {
    ...ca,
    write: "PUT configmaps",
    given: () => [],
    change: (running, place) => running.client.patch(configMaps, `${place}/kube-root-ca.crt`, { data: { "ca.crt": "mine" } }),
    done: published,
  },
]
