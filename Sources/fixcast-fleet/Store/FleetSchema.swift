// SPDX-License-Identifier: Apache-2.0

/// The tables of a fleet, in the schema `fleet` of a database.
enum FleetSchema {
  /// The statements that create or upgrade the tables, one script per version.
  ///
  /// A script never changes after a release. Each script runs in one transaction.
  static let migrations = [first, second]

  /// Creates the table of versions, which is not part of a version.
  static let versions = """
    CREATE SCHEMA IF NOT EXISTS fleet;
    CREATE TABLE IF NOT EXISTS fleet.version (
      number integer PRIMARY KEY,
      applied timestamptz NOT NULL DEFAULT now()
    );
    """

  /// PostgreSQL requires the time in the primary key, because it is the partition key.
  ///
  /// The table cannot reject a repeated fix with another estimated time. `FleetStore` therefore looks
  /// for the sequence numbers of possible repeats before it inserts them.
  private static let first = """
    CREATE TABLE fleet.fix (
      board text NOT NULL,
      epoch integer NOT NULL,
      seq bigint NOT NULL,
      time timestamptz NOT NULL,
      latitude double precision NOT NULL,
      longitude double precision NOT NULL,
      altitude_m real,
      speed_mps real,
      course_deg real,
      accuracy_m real,
      mode smallint,
      satellites smallint,
      simulated boolean NOT NULL,
      time_estimated boolean NOT NULL,
      reduced boolean NOT NULL,
      received timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (board, epoch, seq, time)
    ) PARTITION BY RANGE (time);
    CREATE INDEX fix_time ON fleet.fix USING brin (time);
    COMMENT ON COLUMN fleet.fix.accuracy_m IS 'horizontal error radius at 95 % confidence';
    -- Times without a partition of their own: in the future, or older than the retention.
    CREATE TABLE fleet.fix_other PARTITION OF fleet.fix DEFAULT;

    CREATE TABLE fleet.board (
      board text PRIMARY KEY,
      shard smallint NOT NULL,
      first_seen timestamptz NOT NULL DEFAULT now(),
      last_seen timestamptz NOT NULL,
      fix_time timestamptz,
      latitude double precision,
      longitude double precision,
      simulated boolean,
      reduced boolean,
      online boolean,
      pending bigint,
      dropped bigint,
      problem text
    );
    COMMENT ON COLUMN fleet.board.pending IS 'fixes in the outbox of the board';
    CREATE TABLE fleet.progress (
      board text NOT NULL,
      epoch integer NOT NULL,
      shard smallint NOT NULL,
      committed bigint NOT NULL,
      highest bigint NOT NULL,
      PRIMARY KEY (board, epoch)
    );
    CREATE TABLE fleet.weather (
      latitude double precision NOT NULL,
      longitude double precision NOT NULL,
      received timestamptz NOT NULL,
      report jsonb NOT NULL,
      PRIMARY KEY (latitude, longitude)
    );
    -- The requests of the last day, which a change of the consumer must not forget.
    CREATE TABLE fleet.weather_request (at timestamptz NOT NULL);

    -- Creates the partition of the month that contains a time, and moves rows into it.
    CREATE FUNCTION fleet.add_month(moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      first timestamptz := date_trunc('month', moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
      after timestamptz := (date_trunc('month', moment AT TIME ZONE 'UTC') + interval '1 month')
        AT TIME ZONE 'UTC';
      name text := 'fix_' || to_char(first AT TIME ZONE 'UTC', 'YYYY_MM');
      columns text;
    BEGIN
      IF to_regclass('fleet.' || name) IS NOT NULL THEN RETURN; END IF;
      SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
        FROM pg_attribute WHERE attrelid = 'fleet.fix'::regclass AND attnum > 0
        AND NOT attisdropped AND attgenerated = '';
      EXECUTE format('CREATE TABLE fleet.%I (LIKE fleet.fix INCLUDING ALL)', name);
      EXECUTE format('WITH moved AS (DELETE FROM fleet.fix_other WHERE time >= %L AND time < %L'
        ' RETURNING %s) INSERT INTO fleet.%I (%s) SELECT %s FROM moved',
        first, after, columns, name, columns, columns);
      EXECUTE format('ALTER TABLE fleet.fix ATTACH PARTITION fleet.%I FOR VALUES FROM (%L) TO (%L)',
        name, first, after);
    END $$;

    -- Drops the partitions of months that ended before a time; returns the number of them.
    CREATE FUNCTION fleet.drop_months(oldest timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
    DECLARE
      partition record;
      dropped integer := 0;
    BEGIN
      FOR partition IN
        SELECT relname FROM pg_class JOIN pg_inherits ON inhrelid = pg_class.oid
        WHERE inhparent = 'fleet.fix'::regclass AND relname ~ '^fix_[0-9]{4}_[0-9]{2}$'
          AND (to_date(substr(relname, 5), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC'
            <= oldest
      LOOP
        EXECUTE format('DROP TABLE fleet.%I', partition.relname);
        dropped := dropped + 1;
      END LOOP;
      DELETE FROM fleet.fix_other WHERE time < oldest;
      RETURN dropped;
    END $$;
    """

  /// The time of the last batch tells which epochs of a board are the newest.
  private static let second = """
    ALTER TABLE fleet.progress ADD COLUMN seen timestamptz NOT NULL DEFAULT now();
    """

  /// Adds a column for PostGIS, if the extension is installed in the database.
  ///
  /// Not part of a version, because the extension may be installed later. Adding the column to a
  /// table with rows rewrites the table.
  static let postGIS = """
    DO $$ BEGIN
      IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'postgis') THEN
        ALTER TABLE fleet.fix ADD COLUMN IF NOT EXISTS position geography(Point, 4326)
          GENERATED ALWAYS AS (ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)::geography)
          STORED;
      END IF;
    END $$;
    """
}
