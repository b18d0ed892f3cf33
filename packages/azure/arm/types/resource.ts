import type { ArmId, ArmKind } from '../arm-id.ts';

/** Anything but these three means that Azure is still at work on the resource. */
export type SettledProvisioningState = 'Succeeded' | 'Failed' | 'Canceled';
export type ProvisioningState = SettledProvisioningState | 'Creating' | 'Updating' | 'Deleting';

/** A reference to another resource. */
export interface ArmReference<Kind extends ArmKind> {
  readonly id: ArmId<Kind>;
}

export type ArmReferences<Kind extends ArmKind> = readonly ArmReference<Kind>[];

export type ArmTags = Readonly<Record<string, string>>;

interface Provisioned {
  /** Set by Azure. */
  readonly provisioningState?: ProvisioningState;
}

/** A resource as Azure answers it. Fields we do not know are in it too, and go back with what is written. */
export interface ArmResource<Kind extends ArmKind, Properties> {
  readonly id: ArmId<Kind>;
  readonly name: string;
  /** Changes with every change: sent back as a condition, it keeps us from overwriting what another program wrote. */
  readonly etag?: string;
  readonly properties: Properties & Provisioned;
}

/** A resource of its own in a resource group, as opposed to a child of another. */
export interface TrackedArmResource<Kind extends ArmKind, Properties> extends ArmResource<Kind, Properties> {
  readonly location: string;
  readonly tags?: ArmTags;
}

/** A child resource, inside the body of its parent: the id is set by Azure. */
export interface ArmChild<Kind extends ArmKind, Properties> {
  readonly id?: ArmId<Kind>;
  readonly name: string;
  readonly etag?: string;
  readonly properties: Properties & Provisioned;
}

/** What a PUT sends: its id is the address it is sent to, and its etag goes as a condition. */
export type ArmRequestBody<Resource extends ArmResource<ArmKind, unknown>> = Omit<Resource, 'id' | 'name' | 'etag'>;
