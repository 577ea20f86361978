import { at, patch, post, type Row } from "../row.ts"

const volumes = at("persistentvolumes")
const claims = at("persistentvolumeclaims")
const changeVolume = (name: string, spec: object): Row => patch(name, `${volumes}/kept`, "merge", { spec })
const changeClaim = (name: string, spec: object): Row => patch(name, `${claims}/kept`, "merge", { spec })
const affinity = (value: string) => ({
  nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [value] }] }] } },
})

const size = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } }
const secretRef = { name: "s", namespace: "n" }

/** One of each kind that is still taken; each shows the layout of its own. */
const sources: readonly (readonly [name: string, source: object])[] = [
  ["nfs", { nfs: { server: "a", path: "/p", readOnly: true } }],
  ["iscsi", { iscsi: { targetPortal: "a", iqn: "iqn.2001-04.com.example:storage", lun: 1, chapAuthSession: true, secretRef } }],
  ["rbd", { rbd: { monitors: ["m"], image: "i", secretRef } }],
  ["cephfs", { cephfs: { monitors: ["m"], path: "/p", secretRef } }],
  ["fc", { fc: { targetWWNs: ["w"], lun: 2 } }],
  ["azure-file", { azureFile: { secretName: "s", shareName: "h", secretNamespace: "n" } }],
  ["azure-disk", { azureDisk: { diskName: "d", diskURI: "https://blob.core.windows.net/a/b.vhd" } }],
  ["vsphere", { vsphereVolume: { volumePath: "/p" } }],
  ["portworx", { portworxVolume: { volumeID: "v" } }],
  ["gce", { gcePersistentDisk: { pdName: "p", partition: 1 } }],
  ["aws", { awsElasticBlockStore: { volumeID: "v" } }],
  ["cinder", { cinder: { volumeID: "v", secretRef } }],
  ["flex", { flexVolume: { driver: "a/b", options: { b: "1", a: "2" }, secretRef } }],
  ["csi", { csi: { driver: "a.b", volumeHandle: "h", fsType: "ext4", nodeStageSecretRef: secretRef } }],
]
const sourceOf = (name: string) => sources.find(([one]) => one === name)?.[1] ?? {}

/** What does not change of volumes and claims: the refusals show the difference. */
export const changes: readonly Row[] = [
  post("a volume to work with", volumes, {
    metadata: { name: "kept" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x" } },
  }),
  changeVolume("another path", { hostPath: { path: "/y" } }),
  changeVolume("a path with marks that Go escapes", { hostPath: { path: "/<&>" } }),
  changeVolume("a volume of another kind", { hostPath: null, nfs: { server: "a", path: "/p" } }),
  changeVolume("a volume of a driver", { hostPath: null, csi: { driver: "a.b", volumeHandle: "h", volumeAttributes: { z: "1", a: "2" } } }),
  changeVolume("another mode of a volume", { volumeMode: "Block" }),
  changeVolume("a place for a volume", affinity("a")),
  changeVolume("another place for a volume", affinity("b")),
  changeVolume("no place for a volume", { nodeAffinity: null }),
  ...sources.map(([name, source]) =>
    post(`a volume of ${name} to work with`, volumes, { metadata: { name }, spec: { ...size, ...source } }),
  ),
  ...sources.map(([name]) =>
    patch(`a volume of ${name} that becomes another`, `${volumes}/${name}`, "merge", {
      spec: { ...Object.fromEntries(Object.keys(sourceOf(name)).map((key) => [key, null])), hostPath: { path: "/z" } },
    }),
  ),
  post("a claim to work with", claims, {
    metadata: { name: "kept" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "s" },
  }),
  changeClaim("more for a claim that is not bound", { resources: { requests: { storage: "2Gi" } } }),
  changeClaim("another class", { storageClassName: "t" }),
  changeClaim("other modes", { accessModes: ["ReadWriteMany"] }),
  changeClaim("another mode of a claim", { volumeMode: "Block" }),
  changeClaim("a selector", { selector: { matchLabels: { a: "b" } } }),
  changeClaim("a source", { dataSource: { kind: "PersistentVolumeClaim", name: "o" } }),
  changeClaim("a source of another group", { dataSourceRef: { apiGroup: "a.b", kind: "C", name: "o" } }),
  changeClaim("a class of attributes", { volumeAttributesClassName: "o" }),
  changeClaim("limits", { resources: { limits: { storage: "9Gi" } } }),
  changeClaim("a volume and another class", { volumeName: "v", storageClassName: "t" }),
  changeClaim("a volume", { volumeName: "v" }),
  changeClaim("another volume", { volumeName: "w" }),
  patch("a claim that is bound", `${claims}/kept/status`, "merge", { status: { phase: "Bound", capacity: { storage: "1Gi" } } }),
  changeClaim("more without such a class", { resources: { requests: { storage: "2Gi" } } }),
  post("a class whose volumes do not grow", at("storage/storageclasses"), { metadata: { name: "s" }, provisioner: "a/b" }),
  changeClaim("more of a class whose volumes do not grow", { resources: { requests: { storage: "2Gi" } } }),
  patch("the class lets them grow", `${at("storage/storageclasses")}/s`, "merge", { allowVolumeExpansion: true }),
  { ...changeClaim("more of a class whose volumes grow", { resources: { requests: { storage: "3Gi" } } }), afterInformer: true },
  changeClaim("less than was asked for, and more than there is", { resources: { requests: { storage: "2Gi" } } }),
  changeClaim("as much as there is", { resources: { requests: { storage: "1Gi" } } }),
  changeClaim("less than there is", { resources: { requests: { storage: "1" } } }),
  changeClaim("a class of attributes for a bound claim", { volumeAttributesClassName: "o" }),
  post("a claim of another claim", claims, {
    metadata: { name: "copied" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "s",
      dataSource: { apiGroup: "", kind: "PersistentVolumeClaim", name: "kept" },
    },
  }),
  post("a claim of something else, in the old field", claims, {
    metadata: { name: "odd" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "s",
      dataSource: { apiGroup: "a.b", kind: "C", name: "kept" },
    },
  }),
]
