import { type GoLayout, goLayout } from "../go-struct.ts"

const secret = goLayout("name namespace")
const fsType = "fsType:FSType"
const readOnly = "readOnly=false"
const secretRef = "secretRef=null"

/** A volume's source as Go has it: of all there are, one is set. */
export const volumeSourceLayout: GoLayout = goLayout(
  [
    "gcePersistentDisk:GCEPersistentDisk awsElasticBlockStore:AWSElasticBlockStore hostPath glusterfs nfs:NFS rbd:RBD quobyte iscsi:ISCSI flexVolume",
    "cinder cephfs:CephFS fc:FC flocker azureFile vsphereVolume azureDisk photonPersistentDisk portworxVolume scaleIO local storageos:StorageOS csi:CSI",
  ]
    .join(" ")
    .split(" ")
    .map((name) => `${name}=null`)
    .join(" "),
  {
    gcePersistentDisk: goLayout(`pdName:PDName ${fsType} partition=0 ${readOnly}`),
    awsElasticBlockStore: goLayout(`volumeID ${fsType} partition=0 ${readOnly}`),
    hostPath: goLayout("path type=null"),
    glusterfs: goLayout(`endpoints:EndpointsName path ${readOnly} endpointsNamespace=null`),
    nfs: goLayout(`server path ${readOnly}`),
    rbd: goLayout(`monitors:CephMonitors=null image:RBDImage ${fsType} pool:RBDPool user:RadosUser keyring ${secretRef} ${readOnly}`, {
      secretRef: secret,
    }),
    quobyte: goLayout(`registry volume ${readOnly} user group tenant`),
    iscsi: goLayout(
      `targetPortal iqn:IQN lun=0 iscsiInterface:ISCSIInterface ${fsType} ${readOnly} portals=null chapAuthDiscovery:DiscoveryCHAPAuth=false ` +
        `chapAuthSession:SessionCHAPAuth=false ${secretRef} initiatorName=null`,
      { secretRef: secret },
    ),
    flexVolume: goLayout(`driver ${fsType} ${secretRef} ${readOnly} options=null`, { secretRef: secret }),
    cinder: goLayout(`volumeID ${fsType} ${readOnly} ${secretRef}`, { secretRef: secret }),
    cephfs: goLayout(`monitors=null path user secretFile ${secretRef} ${readOnly}`, { secretRef: secret }),
    fc: goLayout(`targetWWNs=null lun=null ${fsType} ${readOnly} wwids:WWIDs=null`),
    flocker: goLayout("datasetName datasetUUID"),
    azureFile: goLayout(`secretName shareName ${readOnly} secretNamespace=null`),
    vsphereVolume: goLayout(`volumePath ${fsType} storagePolicyName storagePolicyID`),
    azureDisk: goLayout(`diskName diskURI:DataDiskURI cachingMode=null ${fsType}=null readOnly=null kind=null`),
    photonPersistentDisk: goLayout(`pdID:PdID ${fsType}`),
    portworxVolume: goLayout(`volumeID ${fsType} ${readOnly}`),
    scaleIO: goLayout(
      `gateway system ${secretRef} sslEnabled:SSLEnabled=false protectionDomain storagePool storageMode volumeName ${fsType} ${readOnly}`,
      { secretRef: secret },
    ),
    local: goLayout(`path ${fsType}=null`),
    storageos: goLayout(`volumeName volumeNamespace ${fsType} ${readOnly} ${secretRef}`, {
      secretRef: goLayout("kind namespace name uid:UID apiVersion:APIVersion resourceVersion fieldPath"),
    }),
    csi: goLayout(
      `driver volumeHandle ${readOnly} ${fsType} volumeAttributes=null controllerPublishSecretRef=null nodeStageSecretRef=null ` +
        "nodePublishSecretRef=null controllerExpandSecretRef=null nodeExpandSecretRef=null",
      {
        controllerPublishSecretRef: secret,
        nodeStageSecretRef: secret,
        nodePublishSecretRef: secret,
        controllerExpandSecretRef: secret,
        nodeExpandSecretRef: secret,
      },
    ),
  },
)

export const claimSpecLayout: GoLayout = goLayout(
  "accessModes=null selector=null resources volumeName storageClassName=null volumeMode=null dataSource=null dataSourceRef=null " +
    "volumeAttributesClassName=null",
  {
    resources: goLayout("limits=null requests=null"),
    dataSource: goLayout("apiGroup:APIGroup=null kind name"),
    dataSourceRef: goLayout("apiGroup:APIGroup=null kind name namespace=null"),
  },
)
